"""A server's memory, and three ways to give texts room."""

import torch

from tests.live.figure import FigureTest

REQUESTS = [[0, 20, 30], [0, 5, 9], [0, 40, 20], [3, 9, 30], [4, 17, 3], [30, 3, 12]]
LONGEST, SIZE, PLACES = 64, 16, 3


class TestServer(FigureTest):
    EXAMPLE = dict(requests=REQUESTS, places=PLACES, longest=LONGEST, size=SIZE, start=8)
    START = dict(way="reserve", time=8)
    STATES = [
        dict(way=way, time=time) for way in ("reserve", "pad", "pages") for time in (0, 12, 40)
    ]
    WRONG = {
        "a block that is begun isn't held": {
            "each.table.length * size < each.tokens": "(each.table.length + 1) * size <= each.tokens"
        },
        "padded to the shortest": {"max(0, ...there": "min(...there"},
        "what leaves keeps its blocks": {"free.push(...(each?.table ?? []))": "free.length"},
    }
    SAID = [
        (dict(way="pages"), "hold room for", ["0", "1", "16 of 16"]),
        (dict(way="reserve"), "Each holds a row of full length", ["0", "1", "16 of 16"]),
    ]

    def truth(self, spec, state, found):
        waiting, running, free, step = (
            list(enumerate(spec["requests"])),
            [None] * PLACES,
            list(range(12))[::-1],
            0,
        )
        while True:
            for place in range(PLACES):
                if running[place]:
                    running[place][1] += 1
                elif waiting and waiting[0][1][0] <= step:
                    text, (_, prompt, answer) = waiting.pop(0)
                    running[place] = [text, prompt, prompt + answer, []]
            for each in filter(None, running):
                while len(each[3]) * SIZE < each[1]:
                    each[3].append(free.pop())
            if step == state["time"]:
                break
            for place, each in enumerate(running):
                if each and each[1] == each[2]:
                    free += each[3]
                    running[place] = None
            step += 1
        there = [each for each in running if each]
        used = sum(each[1] for each in there)
        room = {
            "reserve": LONGEST * len(there),
            "pad": len(there) * max([each[1] for each in there], default=0),
        }
        held = room.get(state["way"], sum(SIZE * len(each[3]) for each in there))
        blocks = torch.tensor([[-1, 0, 0]] * 12)
        for place, each in enumerate(running):
            if each:
                table = each[3] if state["way"] == "pages" else [4 * place + k for k in range(4)]
                whole = {
                    "reserve": LONGEST,
                    "pad": held // len(there),
                    "pages": SIZE * len(each[3]),
                }[state["way"]]
                for k, block in enumerate(table):
                    if k * SIZE < whole:
                        blocks[block] = torch.tensor(
                            [
                                each[0],
                                min(max(each[1] - k * SIZE, 0), SIZE),
                                min(whole - k * SIZE, SIZE),
                            ]
                        )
        return {"used": torch.tensor(used), "held": torch.tensor(held), "blocks": blocks}
