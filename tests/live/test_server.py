"""A server's memory, and three ways to give texts room."""

import torch

from live import bundle
from tests.live.figure import FigureTest
from workshop.page import notebooks

LONGEST, SIZE = 64, 16
PASSES = [
    [[0, 20, [11, 10]], None, [1, 40, [9, 8, 7]]],
    [[0, 21, [11, 10]], [2, 5, [6]], [1, 41, [9, 8, 7]]],
    [[0, 22, [11, 10]], [2, 6, [6]], None],
    [None, [2, 7, [6]], None],
    [[3, 17, [7, 8]], [2, 8, [6]], [4, 64, [9, 10, 11, 5]]],
    [None, None, None],
]
WAYS = ("reserve", "pad", "pages")


class TestServer(FigureTest):
    EXAMPLE = dict(passes=PASSES, longest=LONGEST, size=SIZE, start=1)
    START = dict(way="reserve", time=1)
    STATES = [dict(way=way, time=time) for way in WAYS for time in range(6)]
    WRONG = {
        "a block that is begun isn't held": {"size * blocks.length": "size * (blocks.length - 1)"},
        "padded to the shortest": {"pad: max(": "pad: min("},
        "the mean leaves out this pass": {"time + 1": "max(time, 1)"},
        "a mean of shares": {"sum(until.flat().map(([, tokens]) => tokens))": "sum([0])"},
    }
    SAID = [
        (dict(way="pages"), "hold room for 96. ", ["5", "free", "0 of 0"]),
        (dict(way="pages"), "Since the first pass: 60 % with reserve, 37 % with pad, 28 % with pages.", ["6", "3", "5 of 16"]),
        (dict(way="reserve"), "Each holds a row of full length", ["0", "1", "16 of 16"]),
    ]  # fmt: skip

    END = None  # the last pass of the page's

    def holds(self, spec, state, found, said):
        """Since the first pass, most is unused with reserve and least with pages."""
        reserve, pad, pages = found["mean"]
        assert (
            reserve > 1.2 * pad and pad > 1.2 * pages and f"{100 * pages:.0f} % with pages" in said
        )

    def truth(self, spec, state, found):
        def room(there):
            """What each of three ways holds for each of these texts."""
            longest = max([each[1] for each in there], default=0)
            return {
                "reserve": [LONGEST for each in there],
                "pad": [longest for each in there],
                "pages": [SIZE * len(each[2]) for each in there],
            }

        places = spec["passes"][state["time"]]
        there = [each for each in places if each]
        blocks = torch.tensor([[-1, 0, 0]] * 12)
        held = iter(room(there)[state["way"]])
        for place, each in enumerate(places):
            whole = next(held) if each else 0
            row = each[2] if each and state["way"] == "pages" else range(4 * place, 4 * place + 4)
            for k, block in enumerate(row):
                if k * SIZE < whole:
                    of = [min(max(n - k * SIZE, 0), SIZE) for n in (each[1], whole)]
                    blocks[block] = torch.tensor([each[0], *of])
        until = [[each for each in one if each] for one in spec["passes"][: state["time"] + 1]]
        used = sum(each[1] for those in until for each in those)
        means = [1 - used / sum(sum(room(those)[way]) for those in until) for way in WAYS]
        here = torch.tensor([sum(each[1] for each in there), sum(room(there)[state["way"]])])
        return {"used": here[0], "held": here[1], "blocks": blocks, "mean": torch.tensor(means)}


def test_the_play_of_the_page_ends_where_pages_are_best(node):
    """In each choice: then, and since the first pass, most is unused with reserve, least with pages."""
    (html,) = (
        output["data"]["text/html"]
        for page in notebooks()
        for cell in page.notebook["cells"]
        for output in cell.get("outputs", [])
        if "kind=\"server\"" in "".join(output.get("data", {}).get("text/html", ""))
    )  # fmt: skip
    spec = bundle.spec_of("".join(html))
    for time in (spec["start"], len(spec["passes"]) - 1):
        states = [dict(way=way, time=time) for way in WAYS]
        found = node.compute("server", spec, states)
        assert all(each["texts"] == 8 for each in found), "the memory is busy"
        for shares in ([each["empty"] for each in found], found[0]["mean"]):
            reserve, pad, pages = shares
            assert reserve > 1.2 * pad and pad > 1.2 * pages
