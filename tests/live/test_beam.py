"""Greedy decoding and beam search as a tree."""

import math
import re
from functools import cache

import torch

from data.english_french import corpus
from live.bundle import markup_of
from taught.translation import beam_search, to_tokens
from tests.live.figure import FigureTest, by_keys, hold_time, look, part, press
from tests.live.translator import BOS, EOS, precise_translator

YOUNG_WOMAN = "does a tired man see the young woman?"
RED_HOUSES = "do the owls stop near my red houses?"
SENTENCES = [text.replace("?", " ?").split() for text in (YOUNG_WOMAN, RED_HOUSES)]
LONGEST = 24


def words_of(text):
    return tuple(text.replace("?", " ?").replace(".", " .").split())


@cache
@torch.no_grad()
def searched(words, width, divide):
    """What is kept in each step and the best that is dropped, as (tokens, sum, score, its lane
    before), one row for each step; every hypothesis is read anew."""
    model, english, _ = precise_translator()
    src = to_tokens([words], english)
    memory = model.encode(src)

    def score(tokens, total):
        return total / (len(tokens) - 1) if divide else total

    kept, steps = [((BOS,), 0.0)], []
    while len(steps) < LONGEST:
        candidates = []
        for lane, (tokens, total) in enumerate(kept):
            if tokens[-1] == EOS:
                candidates.append((tokens, total, score(tokens, total), lane))
                continue
            log_p = model.decode(torch.tensor([tokens]), memory, src)[0, -1].log_softmax(-1)
            for token, own in enumerate(log_p.tolist()):
                more = (*tokens, token), total + own
                candidates.append((*more, score(*more), lane))
        candidates.sort(key=lambda each: -each[2])
        steps.append(candidates[: width + 1])
        kept = [each[:2] for each in candidates[:width]]
        ended = [tokens[-1] == EOS for tokens, _ in kept]
        if all(ended) or (ended[0] and not divide):
            break
    return steps


def french_of(tokens):
    french = precise_translator()[2]
    return [french[token] for token in tokens if token > EOS]


class TestBeam(FigureTest):
    EXAMPLE = dict(sentences=SENTENCES)
    START = dict(sentence=YOUNG_WOMAN, width=2, divide=False, step=LONGEST, focus=None, lock=None)
    STATES = [
        dict(),
        dict(width=1, step=7),
        dict(width=3, sentence=RED_HOUSES),
        dict(width=2, sentence=RED_HOUSES, divide=True),
        dict(width=3, sentence="The mouse is tired", step=3),
    ]
    WRONG = {
        "logits, not log-probabilities": {"logits[token] - total": "logits[token]"},
        "it goes on after the end": {"if (ended) return": "if (0) return"},
        "the first end ends a mean": {"kept.every(({ ended }) => ended)": "kept[0].ended"},
    }
    KEYS = {
        "a step back": by_keys("input[type=range]", "ArrowLeft", "ArrowLeft", "ArrowLeft"),
        "a word below": by_keys(".node >> nth=0", "ArrowRight", "ArrowDown", "Enter"),
    }
    SAID = [
        (
            dict(),
            "At token 7 greedy decoding takes “les”, 0.60, and not “la”, 0.10, and ends at −4.13.",
            ["“est-ce qu'un homme fatigué voit les jeunes camions ?” ■", "−0.12", "−4.13"],
        ),
        (dict(lock=[6, 1]), "voit la”: the log-probability of “la” is −2.28. The sum", []),
        (dict(step=2), "Step 2: of 522 candidates, the 2 best stay. Best so far: “est-ce qu'”", []),
    ]

    def holds(self, spec, state, found, said):
        """All steps are done, and greedy decoding has found nothing likelier."""
        best, greedy = found["steps"][-1][0], found["results"][0]
        assert found["at"] == len(found["steps"]) and f"{best['score']:.2f}"[1:] in said
        assert best["score"] > greedy["score"] or state["width"] == 1

    def truth(self, spec, state, found):
        words = words_of(state["sentence"].lower())
        words += () if words[-1] in ".?" else (".",)  # the mark that is missing
        steps = searched(words, state["width"], state["divide"])
        assert len(found["steps"]) == len(steps)
        for ours, theirs in zip(found["steps"], steps):
            assert [each["tokens"] for each in ours] == [list(each[0][1:]) for each in theirs]
            assert [each["from"] for each in ours] == [lane for *_, lane in theirs]
            assert [each["kept"] for each in ours] == [k < state["width"] for k in range(len(ours))]
            assert [each["ended"] for each in ours] == [each[0][-1] == EOS for each in theirs]
            for each, (_, total, score, _) in zip(ours, theirs):
                assert math.isclose(sum(each["owns"]), total, abs_tol=1e-9)
                assert math.isclose(each["score"], score, abs_tol=1e-9)
        at = state["step"] if state["step"] < len(steps) else len(steps)
        assert found["at"] == at
        ends = [searched(words, width, state["divide"])[-1][0] for width in (1, 2, 3)]
        assert [each["french"] for each in found["results"]] == [french_of(end[0]) for end in ends]
        if not state["divide"]:  # as the page has it
            model, english, _ = precise_translator()
            src = to_tokens([words], english)
            for width, (tokens, *_) in zip((1, 2, 3), ends):
                rows, _ = beam_search(model, src, BOS, EOS, LONGEST, width)
                assert [token for token in rows[0].tolist() if token] == list(tokens[1:])
        return {}

    def check_play(self, page):
        """Play goes from the first step to the last, of whatever sentence there is."""
        press(page, ".tries button >> nth=1")
        hold_time(page)
        slider = part(page, "input[type=range]")
        assert slider.get_attribute("aria-valuetext") == "12 of 12"
        part(page, "button:text-is('Play')").click()
        for k in range(1, 13):
            assert slider.get_attribute("aria-valuetext") == f"{k} of 12"
            page.clock.run_for(1100)
        assert part(page, "button:text-is('Play')").count() == 1

    def check_typing(self, page):
        """A sentence of the reader's own, typed fast, and what can't be one."""
        box, text = part(page, "textarea"), "my old dog sleeps in the house"
        box.press("Control+a")
        box.press_sequentially(text, delay=20)
        box.press("Enter")
        assert box.input_value() == text and "mon vieux chien dort dans la" in look(page)[1]
        box.fill("my yak sleeps.")
        box.press("Enter")
        assert "Not in the vocabulary: yak." in look(page)[1] and not part(page, ".node").count()


def test_its_sentences_are_what_the_page_says():
    """The first is one of the compositional sentences; of neither the two words met in training."""
    data = corpus()
    assert tuple(SENTENCES[0]) in {pair.source for pair in data.compositional}
    for two in ({"young", "woman"}, {"red", "houses"}):
        assert not any(two <= {*pair.source} for pair in data.training)
    found = {width: searched(tuple(SENTENCES[0]), width, False)[-1][0][0] for width in (1, 2)}
    [reference] = [p.target for p in data.compositional if p.source == tuple(SENTENCES[0])]
    assert french_of(found[2]) == list(reference) != french_of(found[1])


def test_the_still_picture_has_its_numbers():
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", markup_of("beam_tree"))
    steps = searched(tuple(SENTENCES[0]), 2, False)
    french = precise_translator()[2]
    for i in range(6, 9):
        for tokens, total, _, lane in steps[i][:2]:
            before = steps[i - 1][lane][1]
            assert french[tokens[-1]] in texts
            assert f"{math.exp(total - before):.2f}" in texts
            assert f"{total:.2f}".replace("-", "−") in texts
    for _, total, *_ in steps[-1][:2]:
        assert f"{total:.2f}".replace("-", "−") in texts
