"""One vector or all states, by the length of the sentence."""

from functools import cache

import torch

from tests.live.figure import FigureTest, by_keys, by_touch, draw, look, numbers, part

FIRST = "the black cat sleeps".split(), "le chat noir dort".split()
SECOND = "and a big dog runs".split(), "et un gros chien court".split()
BOTH = FIRST[0] + SECOND[0], FIRST[1] + SECOND[1]


def version(source, target, reminded, attention):
    written = {"reminded": reminded.split(), "attention": attention.split()}
    weights = torch.softmax(3 * draw(len(attention.split()), len(source), seed=len(reminded)), -1)
    return dict(source=source, target=target, written=written, weights=weights)


SENTENCES = [
    [
        version(*FIRST, "le chat noir dort", "le chat noir dort"),
        version(*BOTH, "le gros chien dort et un chien et un chien", "le chat dort et un gros chien noir court"),
    ],
    [
        version(*SECOND, "et un gros chien court", "et un chien court"),
        version(*BOTH, "le chat", "le chat noir dort et un gros chien court"),
    ],
]
SHARES = {"reminded": [[0.8, 0.1], [0.7, 0.2]], "attention": [[1.0, 0.9], [0.9, 0.95]]}
CLAUSES = {"reminded": [[0.8], [0.4, 0.35]], "attention": [[1.0], [0.95, 0.98]]}


def split(words):
    starts = [0, *(k for k, word in enumerate(words) if k and word == "et"), len(words)]
    return [tuple(words[a:b]) for a, b in zip(starts, starts[1:])]


@cache
def in_common(a, b):
    """The length of a longest common subsequence, from the end of both."""
    if not a or not b:
        return 0
    both = in_common(a[:-1], b[:-1]) + (a[-1] == b[-1])
    return max(both, in_common(a[:-1], b), in_common(a, b[:-1]))


class TestBottleneck(FigureTest):
    EXAMPLE = dict(sentences=SENTENCES, shares=SHARES, clauses=CLAUSES)
    START = dict(sentence="1", clauses=1, focus=None, lock=None, guessed=None)
    STATES = [dict(sentence=k, clauses=n) for k in "12" for n in (1, 2)]
    WRONG = {
        "always the first sentence": {"sentences[sentence - 1]": "sentences[0]"},
        "what is too much isn't counted": {"written[k].length - kept(side)": "0"},
        "the shares of one clause": {"run[clauses - 1]": "run[0]"},
    }
    KEYS = {"along the words": by_keys(".token.one >> nth=0", "ArrowDown", "ArrowDown")}
    TOUCH = {"a French word": by_touch(".token.many >> nth=2")}
    SAID = [
        (dict(clauses=2, guessed="50 %"), "You said 50 %; it is 15 %, so what holds one clause doesn’t hold", []),
        (dict(clauses=2), "Here 5 of the 9 French words come out correct through one vector", ["gros (wrong)", "chat"]),
        (dict(clauses=2, lock=[1, 8]), "It is too much.", ["(court missing)", "noir (wrong)"]),
    ]

    def holds(self, spec, state, numbers, text):
        """Attention writes the whole sentence, and one vector no more than a clause."""
        bottleneck, attention = numbers["right"]
        assert (bottleneck < attention) == (state["clauses"] > 1) and attention == numbers["total"]
        whole = " and ".join(f"{100 * share:.0f} %" for share in numbers["means"])
        assert text.startswith(
            f"Here {bottleneck} of the {attention} French words come out correct through one vector, and"
        )
        assert text.endswith(
            f"{attention} with attention. Of all sentences of this length, on average over the runs, {whole} come out whole."
        )

    def truth(self, spec, state, numbers):
        """What is right is as much as can be; and all words are there, each once."""
        sentence = spec["sentences"][int(state["sentence"]) - 1][state["clauses"] - 1]
        expected = split(sentence["target"])
        right, more = [], []
        for written, slots in zip(sentence["written"], numbers["sides"]):
            parts = split(written)
            pairs = list(zip(parts, expected))
            right.append(sum(in_common(*pair) for pair in pairs))
            more.append(sum(map(len, parts[len(expected) :])))
            seen = [slot for slot in slots if slot["word"] is not None]
            assert [slot["word"] for slot in seen] == [w for part, _ in pairs for w in part]
            assert [slot["at"] for slot in seen] == list(range(len(seen)))
            assert [s["wanted"] for s in slots if s["wanted"] is not None] == sentence["target"]
            assert sum(slot["word"] == slot["wanted"] for slot in slots) == right[-1]
        runs = [[run[state["clauses"] - 1] for run in runs] for runs in spec["shares"].values()]
        means, weights = torch.tensor(runs).mean(dim=1), torch.tensor(sentence["weights"])
        source = [dict(word=word) for word in sentence["source"]]
        counts = dict(right=right, more=more, total=len(sentence["target"]), at=state["clauses"])
        return counts | dict(source=source, means=means, weights=weights)

    def check_a_pressed_word(self, page):
        numbers(page, clauses=2)
        part(page, ".token.many >> nth=1").click()
        page.mouse.move(0, 0)
        assert look(page)[1].startswith("Before “chat”, attention looks most at “")
        part(page, "select").press("ArrowDown")
        assert part(page, ".token[aria-pressed=true]").count() == 0

    def test_no_empty_room_on_a_phone(self, opened):
        """There the chart is right below the words, and then keeps its place; beside them nothing moves."""
        for screen, grows in (("phone", True), ("desk", False)):
            page = opened("bottleneck", screen=screen)
            short, long = (numbers(page, clauses=n) and part(page, ".lanes").bounding_box()["height"] for n in (1, 2))
            assert (long > short + 60) == grows and (long > short) == grows
            look(page)
            high = part(page, ":scope").bounding_box()["height"]
            numbers(page, clauses=1)
            look(page)
            assert part(page, ":scope").bounding_box()["height"] == high

    def check_marks(self, page):
        """Wrong words and missing ones are marked, and the shares of the clauses are above them."""

        def words(name):
            return part(page, name).all_text_contents()

        numbers(page, clauses=2)
        assert words(".one.wrong") == ["gros", "chien"] and words(".many.wrong") == ["noir"]
        assert words(".one.missing") == ["gros", "court"] and words(".many.missing") == ["noir"]
        assert words(".note")[:2] == ["clause 1: 40 %", "clause 2: 35 %"]
        part(page, ".token.one >> nth=0").focus()
        page.keyboard.press("End")
        assert "“court” is missing." in look(page)[1]
        numbers(page, clauses=1)  # the word that is focused goes away
        assert words(":is(.wrong, .missing)") == []
