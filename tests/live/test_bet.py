"""Every bet of the game against the map: the eighteen sentences of the page, and all their cuts."""

from functools import cache

import numpy as np
import torch

from data.english_french import NOUNS, corpus, form
from taught.translation import attention_maps, to_tokens
from tests.live.figure import FigureTest, by_keys, by_touch, look, part, press, shown_on_pages
from tests.live.test_twins import SAYS
from tests.live.translator import BOS, edited, precise_translator

PAGE = {name: given for name, given in shown_on_pages("bet")[0].items() if name != "alt"}
PAIRS = {pair.source: pair for pair in corpus().held_out}
GENDERS = {form(noun.english, plural): noun.gender for noun in NOUNS.values() for plural in (False, True)}  # fmt: skip
KINDS = [("il", "elle"), ("ils", "elles"), ("le", "la", "un", "une")]
ALL_BETS = {f"{g}.{r}": 1 if r == 6 else 2 * r % 5 for g in (1, 2, 3) for r in range(1, 7)}
RIGHT = {"1.1": 10, "1.2": 4, "1.3": 6, "1.4": 2, "1.5": 7}


@cache
@torch.no_grad()
def written(words, step, edge=None):
    """The log-probabilities of the French word at `step`, and the maps, with an edge cut at that step."""
    model, english, french = precise_translator()
    src, tgt = to_tokens([words], english), to_tokens([PAIRS[words].target[:step]], french, [BOS])
    cuts = [dict(part=edge[0], query=step, key=edge[1])] if edge else []
    with edited(model, {"cuts": cuts}), attention_maps(model) as maps:
        return model(src, tgt)[0, step].log_softmax(-1), dict(maps)


def cut_of(words, k):
    return ("cross", k) if k < len(words) else ("own", k - len(words) + 1)


class TestBet(FigureTest):
    EXAMPLE = PAGE
    START = dict(game="1", round="1", bets={})
    STATES = [
        dict(),
        *(dict(game=game, round=round, bets=ALL_BETS) for game, round in ("11", "25", "36")),
        dict(bets=RIGHT | {"1.6": 0, "2.1": 99}),
    ]
    WRONG = {
        "a cut at another step": {"query: step }": "query: step - 1 }"},
        "the French word behind the one that is meant": {"k - words.length + 1": "k - words.length"},
        "the map of one block": {"maps.cross.flat()": "maps.cross[1]"},
        "the smallest weight bets": {"largest(weights)": "weights.indexOf(Math.min(...weights))"},
        "school grammar is the map": {"school === answer": "round.map === answer"},
        "a sixth that is won by any bet": {"bet === Number(": "1 >= Number("},
    }  # fmt: skip
    KEYS = {"French": by_keys("[lang=fr] button.token >> nth=0", "Space")}
    TOUCH = {"French": by_touch("[lang=fr] button.token >> nth=0")}
    KEPT = ["Game"]
    SAID = [
        (dict(), "Which one word, cut for this step only, turns il into elle? You bet", ["scared", "1.00"]),
        (
            dict(bets={"1.1": 1}),
            "The map is right: without “scared”, il becomes elle. Without your “cat”, il stays.",
            ["scared", "1.00", "elle", "−6.26", "map"],
        ),
        (
            dict(round="2", bets={"1.2": 4}),
            "You are right: without “car”, une becomes un. The map bet on “a”: without that, une becomes la. "
            "An article takes the gender of its noun.",
            ["Heads that look most at the word that decides: cross 2, head 3"],
        ),
        (
            dict(round="5", bets={"1.5": 2}),
            "You and the map are wrong: without “les”, ont becomes a. Without “explored”, on which you both bet, "
            "ont stays. A verb’s ending follows the French already written: “les” is plural.",
            ["les", "", "a"],
        ),
        (
            dict(round="6", bets={"1.6": 1}),
            "No: without “slow”, il stays. Both nouns want il, and no cut changes that. But the map",
            ["slow", "1.00", "il"],
        ),
    ]

    def holds(self, spec, state, numbers, text):
        """Each sentence asks for one word, and the sixth whether the map's word matters."""
        shown = numbers["shown"]
        asks = f"turns {shown['due']} into {shown['other']}?"
        if shown["sixth"]:
            asks = f"The map bets on “{shown['words'][shown['map']]}”, its largest weight"
        assert shown["bet"] is None and asks in text

    def truth(self, spec, state, numbers):
        french = precise_translator()[2]
        puzzles = [*spec["games"][int(state["game"]) - 1], spec["alike"][int(state["game"]) - 1]]
        right = []
        assert numbers["shown"] == numbers["rounds"][int(state["round"]) - 1]
        for i, (puzzle, round) in enumerate(zip(puzzles, numbers["rounds"], strict=True), start=1):
            words, step, other = tuple(puzzle["words"]), puzzle["step"], puzzle["other"]
            pair = PAIRS[words]
            due = pair.target[step]
            assert tuple(round["french"]) == pair.target and round["due"] == due
            assert round["tokens"] == [*words, *pair.target[: max(step - 1, 0)]]
            maps = written(words, step)[1]
            rows = {
                name: torch.cat([maps[f"decoder.{block}.{part}"][0][0, :, step] for block in (0, 1)])
                for name, part in (("cross", "cross_attention"), ("own", "self_attention"))
            }  # fmt: skip
            weights = rows["cross"].amax(0)
            np.testing.assert_allclose(round["weights"], weights, rtol=1e-6, atol=1e-9)
            assert round["map"] == weights.argmax().item()
            bet = state["bets"].get(f"{state['game']}.{i}")
            if bet is None or bet not in (range(2) if i == 6 else range(len(round["tokens"]))):
                assert round["bet"] is None and "after" not in round
                continue
            logits = [written(words, step, cut_of(words, k))[0] for k in range(len(round["tokens"]))]
            odds = [each[french.index(due)] - each[french.index(other)] for each in logits]
            np.testing.assert_allclose(round["odds"], odds, rtol=1e-6, atol=1e-9)
            after = [french[each.argmax()] for each in logits]
            assert round["after"] == after
            if i == 6:  # nothing to decide
                assert {*after} == {due} == {"il"} and round["answer"] == -1
                assert [GENDERS[word] for word in words if word in GENDERS] == ["m", "m"]
                assert round["right"][0] == (bet == 0)
                continue
            assert after.count(other) == 1
            answer = after.index(other)
            part, key = cut_of(words, answer)
            heads = [
                f"{'self' if part == 'own' else part} {h // 4 + 1}, head {h % 4 + 1}"
                for h, row in enumerate(rows[part]) if row.argmax() == key
            ]  # fmt: skip
            assert round["answer"] == answer and round["heads"] == heads and heads
            pointed = {("cross", key) for key in rows["cross"].argmax(-1).tolist()}
            pointed |= {("own", key) for key in rows["own"].argmax(-1).tolist()}
            edges = [cut_of(words, k) for k in range(len(round["tokens"]))]
            assert round["pointed"] == sum(edge in pointed for edge in edges)
            assert round["right"] == [bet == answer, round["map"] == answer, puzzle["school"] == answer]
            right.append(round["right"])
        assert numbers["over"] == (len(right) == 5)
        return dict(scores=torch.tensor(right).sum(0) if right else torch.zeros(3))

    def test_each_game_has_one_sentence_of_each_kind(self, node):
        """And of the fifteen the map knows five, school grammar seven."""
        games = node.compute("bet", self.spec(), [self.START | dict(game=game, bets=ALL_BETS) for game in "123"])
        for game in games:
            found = []
            for round in game["rounds"][:5]:
                kind = 4 if round["due"][-2:] == "nt" else 3
                found.append(next((k for k, some in enumerate(KINDS) if round["due"] in some), kind))
                assert (round["answer"] >= len(round["words"])) == (found[-1] == 4)
            assert sorted(found) == [0, 1, 2, 3, 4]
        assert [sum(game["scores"][who] for game in games) for who in (1, 2)] == [5, 7]

    def check_a_game(self, page):
        """By keys: a bet, and on to the next one; at the end what can be sent, and no word of a sentence."""
        for k in RIGHT.values():
            part(page, "button.token").nth(k).focus()
            page.keyboard.press("Enter")
            assert look(page)[1].startswith(("You are right", "You and the map are right"))
            page.keyboard.press("Enter")  # on what comes next
        assert look(page)[1].startswith("The map bets on “slow”")
        press(page, ".controls button >> nth=1")
        said = part(page, ".card").inner_text()
        assert (
            "You 5, the map 1, school grammar 3" in said
            and "In all 5 sentences one of the 16 heads did look most at the word that decides." in said
        )
        tried, turned = (sum(each[i] for each in PAGE["found"]) for i in (1, 2))
        assert f"of {tried} decisions that were tried, {turned} have such a word" in said
        names = ["“it”", "“they”", "article", "adjective", "verb"]
        rows = [f"{name}: {each[3]} of {each[2]}" for name, each in zip(names, PAGE["found"], strict=True)]
        assert part(page, ".card li").all_inner_texts() == rows
        assert f"looks most at {self.share(page)}\N{NO-BREAK SPACE}% of all these words" in said
        line = part(page, ".to-send").inner_text()
        assert line.splitlines()[1:] == ["■■■■■ me", "■□□□□ the map"]
        words = {word for game in PAGE["games"] for puzzle in game for word in puzzle["words"]}
        assert not words - {"the"} & {*line.replace(":", " ").split()}
        page.evaluate(
            "void (navigator.clipboard.writeText = (words) => { window.sent = words; return Promise.resolve(); })"
        )
        press(page, ".card button")
        assert page.evaluate("window.sent") == line and part(page, ".card [role=status]").inner_text() == "Copied"
        assert press(page, ".next").startswith("Which one word, cut for this step only, turns ils into elles?")

    @staticmethod
    def share(page):
        """Of the words of the five sentences, those on which some head has its largest weight, in %."""
        return page.evaluate("""() => {
            const rounds = document.querySelector("attention-live-1").numbers.rounds.slice(0, 5);
            const total = (of) => rounds.reduce((sum, each) => sum + of(each), 0);
            return Math.round(100 * total((each) => each.pointed) / total((each) => each.tokens.length));
        }""")

    def check_the_bet_of_the_map(self, page):
        """Before a bet nothing is framed; then the map's word, its weight, and that of the next one."""
        assert part(page, ".chosen, .yours").count() == 0 == part(page, ".flag:not(:empty)").count()
        for number, framed, flags in (
            (1, "scared", ["you", "0.99", "map 1.00"]),
            (2, "a", ["you", "map 1.000", "0.996"]),
        ):
            press(page, f".change button >> nth={number + 2}", "button.token")
            assert part(page, ".chosen .ink").first.inner_text() == framed
            assert part(page, ".flag:not(:empty)").all_inner_texts() == flags

    def check_addresses(self, page):
        """A link opens a game; what isn't one, or no bet, is left."""
        for words, said in (
            ("game=3", "turns un into une?"),
            ("game=9", "turns il into elle?"),
            ('game=2&bets={"2.1":true,"2.2":"length"}', "turns ils into elles?"),
            ("bets=null", "turns il into elle?"),
            ('round=6&bets={"1.6":2}', "The map bets on “slow”"),
            ("round=7&bets=[[1]]", "turns il into elle?"),
        ):
            page.evaluate("words => { location.hash = '#figure=bet&' + words }", words)
            page.wait_for_function(SAYS, arg=said)

    def test_the_cuts_come_one_after_the_other(self, opened):
        """But where motion is reduced all are there at once."""
        for motion, names in (("no-preference", "late"), ("reduce", "none")):
            page = opened("bet", reduced_motion=motion)
            press(page, "button.token >> nth=3")
            found = part(page, ".late").evaluate_all("all => all.map(each => getComputedStyle(each).animationName)")
            assert {*found} == {names} and len(found) > 20
