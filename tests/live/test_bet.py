"""Every bet of the game against the map: the eighteen sentences of the page, and all their cuts."""

from functools import cache

import torch

from data.english_french import corpus
from taught.translation import attention_maps, to_tokens
from tests.live.figure import FigureTest, by_keys, by_touch, look, numbers, part, press, shown_on_pages
from tests.live.translator import BOS, PARTS, edited, precise_translator

PAGE = {name: value for name, value in shown_on_pages("bet")[0].items() if name != "alt"}
PAIRS = {pair.source: pair for pair in corpus().held_out}
ALL_BETS = {f"{g}.{r}": 1 if r == 6 else 2 * r % 5 for g in (1, 2, 3) for r in range(1, 7)}
HEADS = "Heads that look most at the word that decides: "
RIGHT = {"1.1": 10, "1.2": 4, "1.3": 6, "1.4": 2, "1.5": 7}


@cache
@torch.no_grad()
def written(words, step, edges=()):
    """The log-probabilities (B, V) of the French word at `step`, with another edge cut in each row, and the maps."""
    (model, english, french), rows = precise_translator(), len(edges) or 1
    src, tgt = to_tokens([words] * rows, english), to_tokens([PAIRS[words].target[:step]] * rows, french, [BOS])
    cuts = [dict(row=row, part=name, query=step, key=key) for row, (name, key) in enumerate(edges)]
    with edited(model, {"cuts": cuts}), attention_maps(model) as maps:
        return model(src, tgt)[:, step].log_softmax(-1), dict(maps)


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
        (dict(bets={"1.1": 1}), "The map is right: without “scared”, il becomes elle. Without your “cat”", ["scared"]),
        (
            dict(bets={"1.1": 1}),
            "il stays. “scared” tells which noun the pronoun means.",
            ["scared", "1.00", "elle", "−6.26", "map"],
        ),
        (dict(round="2", bets={"1.2": 4}), "You are right: without “car”, une becomes un. The map bet", ["car"]),
        (dict(round="2", bets={"1.2": 4}), "The map bet on “a”: without that, une becomes la. On its", ["a"]),
        (
            dict(round="2", bets={"1.2": 4}),
            "On its list “car” is number 2, 0.004 behind. An article takes the gender of its noun.",
            [HEADS + "cross 2, head 3"],
        ),
        (dict(round="5", bets={"1.5": 2}), "You and the map are wrong: without “les”, ont becomes a.", ["les", ""]),
        (
            dict(round="5", bets={"1.5": 2}),
            "Without “explored”, on which you both bet, ont stays, though one head gives it 1.00",
            ["explored"],
        ),
        (dict(round="5", bets={"1.5": 2}), "A verb’s ending follows the French already written: “les” is", ["les"]),
        (dict(round="6", bets={"1.6": 1}), "No: without “slow”, il stays. Both nouns want il, and no cut", ["slow"]),
        (dict(round="6", bets={"1.6": 1}), "and no cut changes that. But the map", ["slow", "1.00", "il"]),
    ]

    def holds(self, spec, state, numbers, text):
        shown = numbers["shown"]
        asks = f"turns {shown['due']} into {shown['other']}?"
        if shown["sixth"]:
            asks = f"The map bets on “{shown['words'][shown['map']]}”, its largest weight"
        assert shown["bet"] is None and asks in text

    def truth(self, spec, state, numbers):
        """With one cut after the other, as the page asserts that one of them decides."""
        french, rounds, scores = precise_translator()[2], [], torch.zeros(3)
        for i, puzzle in enumerate([*spec["games"][int(state["game"]) - 1], spec["alike"][int(state["game"]) - 1]]):
            words, step, other, sixth = tuple(puzzle["words"]), puzzle["step"], puzzle["other"], i == 5
            pair, maps = PAIRS[words], written(words, step)[1]
            due, tokens, rows = pair.target[step], [*words, *pair.target[: max(step - 1, 0)]], {}
            for name in ("cross", "own"):
                rows[name] = torch.cat([maps[f"decoder.{block}.{PARTS[name]}"][0][0, :, step] for block in (0, 1)])
            weights = rows["cross"].amax(0)
            best = weights.argmax().item()
            rounds.append(dict(french=pair.target, due=due, tokens=tokens, weights=weights, map=best, bet=None))
            bet = state["bets"].get(f"{state['game']}.{i + 1}")
            if bet is None or bet >= (2 if sixth else len(tokens)):
                continue
            edges = (*(("cross", k) for k in range(len(words))), *(("own", k) for k in range(1, step)))
            logits = written(words, step, edges)[0]
            after = [french[row.argmax()] for row in logits]
            odds = [(row[french.index(due)] - row[french.index(other)]).item() for row in logits]
            looking = [[h for h, row in enumerate(rows[name]) if row.argmax() == key] for name, key in edges]
            rounds[-1] |= dict(bet=bet, after=after, odds=odds, pointed=sum(map(bool, looking)))
            if sixth:
                rounds[-1] |= dict(answer=-1, right=[bet == 0, False, False], heads=[])
                continue
            answer = after.index(other)
            right = [row == answer for row in (bet, best, puzzle["school"])]
            kind = PARTS[edges[answer][0]].removesuffix("_attention")
            heads = [f"{kind} {h // 4 + 1}, head {h % 4 + 1}" for h in looking[answer]]
            rounds[-1] |= dict(answer=answer, right=right, heads=heads)
            scores += torch.tensor(right)
        over = all(row["bet"] is not None for row in rounds[:5])
        return dict(rounds=rounds, shown=rounds[int(state["round"]) - 1], over=over, scores=scores)

    def check_a_game(self, page):
        """By keys: a bet, and on to the next one; at the end what can be sent, and no word of a sentence."""
        for k in RIGHT.values():
            part(page, "button.token").nth(k).focus()
            page.keyboard.press("Enter")
            assert look(page)[1].startswith(("You are right", "You and the map are right"))
            page.keyboard.press("Enter")  # on what comes next
        assert look(page)[1].startswith("The map bets on “slow”")
        press(page, ".controls button >> nth=1")
        card = part(page, ".card").inner_text()
        assert "You 5, the map 1, school grammar 3" in card
        assert "In all 5 sentences one of the 16 heads did look most at the word that decides." in card
        tried, turned = (sum(counts[i] for counts in PAGE["found"]) for i in (1, 2))
        assert f"of {tried} decisions that were tried, {turned} have such a word" in card
        names = ["“it”", "“they”", "article", "adjective", "verb"]
        rows = [f"{name}: {counts[3]} of {counts[2]}" for name, counts in zip(names, PAGE["found"], strict=True)]
        assert part(page, ".card li").all_inner_texts() == rows
        rounds = numbers(page)["rounds"][:5]
        share = sum(counts["pointed"] for counts in rounds) / sum(len(counts["tokens"]) for counts in rounds)
        assert f"looks most at {100 * share:.0f}\N{NO-BREAK SPACE}% of all these words" in card
        line = part(page, ".to-send").inner_text()
        assert line.splitlines()[1:] == ["■■■■■ me", "■□□□□ the map"]
        words = {word for game in PAGE["games"] for puzzle in game for word in puzzle["words"]}
        assert not words - {"the"} & {*line.replace(":", " ").split()}
        page.evaluate("void (navigator.clipboard.writeText = async (words) => (window.sent = words))")
        press(page, ".card button")
        assert page.evaluate("window.sent") == line and part(page, ".card [role=status]").inner_text() == "Copied"
        assert press(page, ".next").startswith("Which one word, cut for this step only, turns ils into elles?")

    def check_the_bet_of_the_map(self, page):
        """Before a bet nothing is framed; then the map's word, its weight, and that of the next one."""
        assert part(page, ".chosen, .yours").count() == 0 == part(page, ".flag:not(:empty)").count()
        seen = [("scared", ["you", "0.99", "map 1.00"]), ("a", ["you", "map 1.000", "0.996"])]
        for k, (framed, flags) in enumerate(seen, start=3):
            press(page, f".change button >> nth={k}", "button.token")
            assert part(page, ".chosen .ink").first.inner_text() == framed
            assert part(page, ".flag:not(:empty)").all_inner_texts() == flags

    def check_addresses(self, page):
        """A link opens a game; what isn't one, or no bet, is left."""
        for words, sentence in (
            ("game=3", "turns un into une?"),
            ("game=9", "turns il into elle?"),
            ('game=2&bets={"2.1":true,"2.2":"length"}', "turns ils into elles?"),
            ("bets=null", "turns il into elle?"),
            ('round=6&bets={"1.6":2}', "The map bets on “slow”"),
            ("round=7&bets=[[1]]", "turns il into elle?"),
        ):
            page.evaluate("words => { location.hash = '#figure=bet&' + words }", words)
            part(page, ".say").filter(has_text=sentence).wait_for()

    def test_the_cuts_come_one_after_the_other(self, opened):
        """But where motion is reduced all are there at once."""
        for motion, names in (("no-preference", "late"), ("reduce", "none")):
            page = opened("bet", reduced_motion=motion)
            press(page, "button.token >> nth=3")
            moves = part(page, ".late").evaluate_all("all => all.map(each => getComputedStyle(each).animationName)")
            assert {*moves} == {names} and len(moves) > 20
