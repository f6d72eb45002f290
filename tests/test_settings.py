"""A reader sees with which settings a page trains: they stand where the training is called."""

import ast

import pytest

from workshop.page import Page, notebooks

SETTINGS = {"rate", "batch", "steps", "epochs"}
FOLDED = {"hide-cell", "hide-input"}
# Their settings are in the text, and asserted or stored with it, or they are for the reader to set.
IN_WORDS = {"train_deep", "train_writer", "trained_writer", "train_on"}
IN_WORDS |= {"trained_on_pictures", "trained_on_sentences"}  # the card of their run


def trainings(page: Page):
    """Folded functions called train..., and the keywords of all code in sight."""
    folded, in_sight = [], set()
    for cell in page.code:
        for node in ast.walk(ast.parse(cell.source)):
            if not FOLDED & {*cell.tags}:
                in_sight |= {node.arg} if isinstance(node, ast.keyword) else set()
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("train"):
                folded.append(node)
    return [function for function in folded if function.name not in IN_WORDS], in_sight


@pytest.mark.parametrize("page", [p for p in notebooks() if p.number <= 16], ids=lambda p: p.name)
def test_a_training_out_of_sight_has_its_settings_in_sight(page):
    folded, in_sight = trainings(page)
    for function in folded:
        settings = SETTINGS & {argument.arg for argument in function.args.args}
        assert settings <= in_sight, (function.name, settings - in_sight)
        for node in ast.walk(function):  # nor is a rate hidden inside
            hidden = isinstance(node, ast.keyword) and node.arg == "lr"
            assert not (hidden and isinstance(node.value, ast.Constant)), function.name
