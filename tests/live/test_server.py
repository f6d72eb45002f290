"""A server's memory, and three ways to give texts room."""

import math
import re

from tests.live.figure import FigureTest, numbers, part

ROOM, LONGEST, SIZE, LAST = 128, 64, 16, 40
REQUESTS = [[0, 20, 9], [0, 3, 50], [0, 3, 50], [2, 60, 2], [5, 2, 50], [9, 14, 1], [30, 8, 20]]
WAYS = ("reserve", "pad", "pages")


def tokens_held(way, sizes):
    if way == "reserve":
        return LONGEST * len(sizes)
    if way == "pad":
        return max(sizes, default=0) * len(sizes)
    return sum(SIZE * math.ceil(size / SIZE) for size in sizes)


def simulated(way, requests, time):
    """What a memory holds and uses after a pass, who is in which stage, and what was empty so far."""
    tokens = [prompt for _, prompt, _ in requests]
    waiting, running, done = list(range(len(requests))), [], set()
    used = held = 0
    for clock in range(time + 1):
        done |= {text for text in running if tokens[text] == sum(requests[text][1:])}
        running = [text for text in running if text not in done]

        def fits(texts):
            return tokens_held(way, [tokens[text] + 1 for text in texts]) <= ROOM

        while waiting and requests[waiting[0]][0] <= clock and fits([*running, waiting[0]]):
            running.append(waiting.pop(0))
        while not fits(running):
            waiting.insert(0, running.pop())
        for text in running:
            tokens[text] += 1
        sizes = [tokens[text] for text in running]
        used, held = used + sum(sizes), held + tokens_held(way, sizes)
    stages = [3 if t in done else 2 if t in running else int(requests[t][0] <= time) for t in range(len(requests))]  # fmt: skip
    return {text: tokens[text] for text in running}, stages, 1 - used / held


class TestServer(FigureTest):
    EXAMPLE = dict(requests=REQUESTS, room=ROOM, longest=LONGEST, size=SIZE, start=3, last=LAST)
    START = dict(time=3, guessed=None)
    STATES = [dict(time=time) for time in range(LAST + 1)]
    WRONG = {
        "a block that is begun isn't held": {"Math.ceil(n / unit)": "floor(n / unit)"},
        "padded to the shortest": {"max(...sizes) * sizes.length": "min(...sizes) * sizes.length"},
        "nobody gives way": {"running.length && !fit(running)": "false"},
        "who gives way is last in the queue": {"waiting.unshift(": "waiting.push("},
        "blocks that don't come back": {"running.filter((each) => each.tokens === each.end).forEach(leave);": ""},
        "the mean is of the last pass": {"total.used += ": "total.used = ", "total.held += ": "total.held = "},
    }  # fmt: skip
    SAID = [
        (dict(time=40, guessed=4), "You said 4; it is 3, so room held empty keeps readers waiting.", ["reserve"]),
        (dict(time=40), "reserve has answered 1 of the 7 texts, pad 1 and pages 3.", ["reserve", "1", "2", "4"]),
        (dict(time=40), "pages 3. Waiting: 4, 4 and 2.", ["reserve"]),
        (dict(guessed=5), "By pass 3, reserve has answered 0 of the 7", ["pages", "0", "4", "0"]),
    ]
    END = dict(time=60)

    def holds(self, spec, state, numbers, text):
        """By its last pass pages has answered most and reserve least, and least of what it holds is empty."""
        reserve, pad, pages = (way["empty"] for way in numbers["ways"])
        assert reserve > 1.2 * pad and pad > 1.2 * pages and "By pass" in text
        if state["time"] == spec["last"]:
            reserve, pad, pages = numbers["answered"]
            assert pages > 1.5 * pad and pad > 1.5 * reserve and numbers["waiting"][2] == 0

    def check_headings(self, page):
        """Over each memory stands what is empty of its room in this pass, not the mean so far."""
        for time in (3, 20, LAST):
            numbers(page, time=time)
            headings = part(page, "svg text").filter(has_text=re.compile("% empty now$")).all_text_contents()
            sizes = [(way, simulated(way, REQUESTS, time)[0].values()) for way in WAYS]
            now = [1 - sum(tokens) / tokens_held(way, tokens) for way, tokens in sizes]
            assert headings == [f"{100 * share:.0f} % empty now" for share in now]

    def truth(self, spec, state, numbers):
        ways = [simulated(way, REQUESTS, state["time"]) for way in WAYS]
        for way, (tokens, stages, empty), ours in zip(WAYS, ways, numbers["ways"]):
            assert ours["stages"] == stages and math.isclose(ours["empty"], empty)
            assert all(isinstance(x, int) for part in ours["parts"] for x in part)
            places = sorted((start, start + held) for _, start, _, held in ours["parts"])
            assert all(a[1] <= b[0] for a, b in zip(places, places[1:])), "no place has two texts"
            assert all(0 <= start < end <= ROOM for start, end in places)
            assert sum(part[3] for part in ours["parts"]) == tokens_held(way, tokens.values())
            for text, size in tokens.items():
                assert sum(part[2] for part in ours["parts"] if part[0] == text) == size
        names = ("waiting", "inside", "answered")
        return {name: [stages.count(k) for _, stages, _ in ways] for k, name in enumerate(names, start=1)}
