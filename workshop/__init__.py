"""The workshop: what makes, checks, stores and moves the pages of the course."""
