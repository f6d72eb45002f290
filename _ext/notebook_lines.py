"""Make warnings name a place in a notebook that one can open.

Why: for line 3 of the fourth cell myst-nb reports "line 40004" of a file that has no such line.
This gives the line of the .ipynb file, the cell and the line in it; and paths as in the repository.
"""

import logging
import os
import re
from pathlib import Path

from workshop.page import Page

CELL = 10_000  # myst-nb counts cell * CELL + line + 1, cell and line from 1


class NameThePlace(logging.Filter):
    """Rewrite the location of a log record, once Sphinx has made a text of it."""

    def __init__(self, root):
        super().__init__()
        self.root = f"{Path(root).resolve()}{os.sep}"

    def filter(self, record):
        where = str(getattr(record, "location", None) or "")
        if where.startswith(self.root):
            record.location = where.removeprefix(self.root)
            if match := re.fullmatch(r"(.+\.ipynb):(\d{5,})", where):
                index, line = divmod(int(match[2]) - 1, CELL)
                cell = Page(match[1]).cells[index - 1]
                record.location = cell.at(max(line, 1))  # 0 is the cell as a whole
        return True


def setup(app):
    for handler in logging.getLogger("sphinx").handlers:
        handler.addFilter(NameThePlace(app.srcdir))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
