"""A block that fills hidden patches, and what shuffling and swapping does to it."""

import json

import torch
from torch import nn

from data.scenes import scenes
from recipes.patches import FILE, defined
from taught.trained import state_of
from taught.transformer import EncoderBlock
from taught.translation import attention_maps
from tests.live.figure import STATE, FigureTest, by_keys, by_touch, numbers, part, press

DATA = json.loads(FILE.read_text(encoding="utf-8"))
IMAGES = scenes(seed=3, training=1, held_out=2, novel=1, objects=3).held_out.images
ORDER = torch.randperm(64, generator=torch.Generator().manual_seed(1)).tolist()
HIDDEN = [3, 20, 27, 28, 50, 63]
GRID = torch.cartesian_prod(torch.arange(8.0), torch.arange(8.0))
ADJACENT = torch.cdist(GRID, GRID).sub(1).abs() < 0.01


# The block of the page with the stored weights, in float64.
FILLER = defined("class Filler(", torch=torch, nn=nn, EncoderBlock=EncoderBlock)["Filler"]()
FILLER.load_state_dict(state_of(DATA))
FILLER.double().eval()


def patches_of(image):
    return image.double().unfold(1, 4, 4).unfold(2, 4, 4).permute(1, 2, 0, 3, 4).reshape(64, 48)


class TestPatches(FigureTest):
    EXAMPLE = dict(images=IMAGES, hidden=HIDDEN, order=ORDER, hole=27)
    START = dict(order="plain", hidden=HIDDEN, scene=0, lock=27, focus=None, guessed=None)
    STATES = [
        dict(),
        dict(order="together", scene=1, focus=3),
        dict(order="alone", focus=20),
        dict(order="alone", hidden=[44, 5], lock=5, scene=1),
        dict(hidden=[], lock=8),
        dict(hidden=[*range(64)], order="together"),
    ]
    WRONG = {
        "positions stay where they were": {'state.order === "alone" ? count(PATCHES) : patches': "count(PATCHES)"},
        "a hole without its vector": {"Float64Array.from(hole)": "new Float64Array(64)"},
        "one head alone": {"rows[query][key])) / this.heads": "rows[query][key])) / 1"},
    }  # fmt: skip
    KEYS = {"a patch": by_keys(".press >> nth=0", "ArrowDown", "Enter")}
    TOUCH = {"a patch": by_touch(".press >> nth=9")}
    SAID = [
        (dict(order="together"), "give the same picture as in place: error", ["row 1, column 4"]),
        (dict(order="together", hidden=[*range(64)]), "each hole is filled by its position alone", ["row 1, column 1"]),
        (dict(order="alone"), "without their positions", ["row 1, column 4"]),
    ]

    def holds(self, spec, state, numbers, text):
        """Only without its positions it fills a hole worse than the picture's mean does."""
        assert (numbers["error"] < 1) == (state["order"] != "alone")
        assert f"error {numbers['error']:.2f}, where" in text

    def check_a_guess(self, page):
        question = part(page, ".ask").get_attribute("aria-label")
        assert f"the error is {numbers(page)['error']:.2f}." in question
        numbers(page, scene=1, hidden=[5])
        assert press(page, ".ask button").startswith("You said ")
        assert page.evaluate(STATE)["scene"] == 0

    def truth(self, spec, state, numbers):
        levels = (IMAGES[state["scene"]].double() * 255).round() / 255
        true = patches_of(levels) - DATA["middle"]
        patches = torch.arange(64) if state["order"] == "plain" else torch.tensor(ORDER)
        positions = torch.arange(64) if state["order"] == "alone" else patches
        hidden = torch.zeros(64, dtype=torch.bool)
        hidden[state["hidden"]] = True
        # In torch a token's position is its row, so the tokens are put in order, and back.
        back = positions.argsort()
        with torch.no_grad(), attention_maps(FILLER) as maps:
            out = FILLER(true[patches[back]][None], hidden[patches[back]][None])[0]
        [[weights]] = maps.values()
        place = patches[back].argsort()  # at which position each patch is
        out, weights = out[place], weights[0].mean(0)[place][:, place]
        near = (weights * ADJACENT[place][:, place]).sum(-1)
        error = torch.tensor(0.0)
        if hidden.any():
            error = (out - true)[hidden].square().sum() / (true - true.mean())[hidden].square().sum()
        at = state["lock"] if state["focus"] is None else state["focus"]
        fills, near = ([each[k] if hidden[k] else None for k in range(64)] for each in (out, near))
        row = weights[at] if at is not None and hidden[at] else None
        slots = dict(slotOf=patches.argsort(), heldBy=place)
        return slots | dict(fills=fills, near=near, at=at, weights=row, error=error)
