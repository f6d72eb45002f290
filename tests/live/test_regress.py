"""A Transformer that regresses, beside page 2's estimate and the best possible answer."""

import torch

from recipes.regress import defined
from taught.trained import trained_regressors
from taught.translation import attention_maps
from tests.live.figure import SAY, STATE, FigureTest, by_finger, by_keys, by_touch, draw, numbers, press

PLACES = torch.linspace(-1, 1, 41, dtype=torch.float64)
X = torch.linspace(-0.93, 0.91, 7, dtype=torch.float64).round(decimals=3)
Y = ((3 * X).sin() + 0.2 * draw(7)).round(decimals=3)
PAGE = defined()
# A model of the page with the stored weights, in float64.
MODEL = PAGE["Regressor"](4, 4)
MODEL.load_state_dict(trained_regressors()["four blocks"])
MODEL.double().eval()


class TestRegress(FigureTest):
    EXAMPLE = dict(x=X, y=Y, truth=torch.stack([X, (3 * X).sin()], 1), width=0.09, length=0.3, noise=0.2)
    START = dict(points=[list(point) for point in zip(X.tolist(), Y.tolist())], point=0, query=0.05, guessed=None)
    STATES = [
        dict(),
        dict(query=-1.0),
        dict(points=[[0.4, -1.5]], query=0.3),
        dict(points=[[0.4, -1.5], [0.4, -1.1], [-0.7, 3.0]], query=1.0),
        dict(points=[[x / 20 - 0.95, (7 * x) % 5 - 2] for x in range(40)], query=0.5),
    ]
    WRONG = {
        "the token of a query is one of a point": {"this.embedded(x, 0, 0)": "this.embedded(x, 0, 1)"},
        "one head alone": {"rows[0][key])) / this.heads": "rows[0][key])) / 1"},
        "no noise": {"(i === j) * noise ** 2": "0"},
        "the width not squared": {"2 * width ** 2": "2 * width"},
    }  # fmt: skip
    KEYS = {"a point": by_keys(".handle", *["ArrowUp"] * 4), "the next point": by_keys(".handle", "Enter", "ArrowDown")}
    TOUCH = {"the query": by_touch(".drag", 0.8, 0.9), "a point": by_finger(".grip >> nth=3", 0, -60)}
    SAID = [
        (dict(), "With 7 points the Transformer is closer to the best possible curve", ["−0.93"]),
        (dict(points=[[0.4, -1.5]]), "With 1 point the Transformer", ["0.40", "−1.50", "1.00"]),
    ]

    def holds(self, spec, state, numbers, text):
        """It is nearer to the best possible curve than page 2's estimate, with the page's points."""
        assert numbers["away"]["network"] < numbers["away"]["kernel"]
        away = f"{numbers['away']['network']:.2f} and {numbers['away']['kernel']:.2f} away"
        assert f"{away}." in text

    def truth(self, spec, state, numbers):
        keys, values = torch.tensor(state["points"], dtype=torch.float64).T
        query = torch.tensor([state["query"]], dtype=torch.float64)
        m, queries = len(keys), torch.cat([PLACES, query])
        with torch.no_grad(), attention_maps(MODEL) as maps:
            network = MODEL(queries[None], keys[None], values[None])[0]
        weights = maps["blocks.3.attention"][0][0, :, -1, :m].mean(0)
        C = PAGE["kernel"](keys, keys) + 0.2**2 * torch.eye(m, dtype=torch.float64)
        best = PAGE["kernel"](queries, keys) @ torch.linalg.solve(C, values)
        weights_2 = torch.softmax(-((queries[:, None] - keys) ** 2) / (2 * 0.09**2), dim=-1)  # of page 2
        curves = dict(network=network, kernel=weights_2 @ values)
        away = {name: (curve - best)[:-1].square().mean().sqrt() for name, curve in curves.items()}
        at = {name: curve[-1] for name, curve in curves.items()}
        shown = {name: curve[:-1] for name, curve in (curves | dict(best=best)).items()}
        return shown | dict(weights=weights, answer=network[-1], away=away, at=at)

    def check_points_come_and_go(self, page):
        buttons = page.locator("attention-live-1 .together:not(.ask) button")
        buttons.nth(0).click()
        points = page.evaluate(STATE)["points"]
        assert len(points) == 8 and points[-1][0] == 0.05
        buttons.nth(1).click()
        assert page.evaluate(STATE)["points"] == points[:-1]
        for _ in range(6):
            buttons.nth(1).click()
        assert buttons.nth(1).is_disabled() and len(page.evaluate(STATE)["points"]) == 1

    def check_a_guess(self, page):
        """It leaves the lowest point alone, and looks from the end that is far from it."""
        sentence = press(page, ".ask button >> nth=0")
        assert sentence.startswith("You said the kernel’s; it is the best possible, so")
        at, lowest = numbers(page)["at"], int(Y.argmin())
        assert abs(at["network"] - at["best"]) < abs(at["network"] - at["kernel"])
        assert page.evaluate(STATE)["points"] == [[float(X[lowest]), float(Y[lowest])]]

    def test_what_is_nearer_here(self, node):
        """Where the kernel's answer is nearer to the best possible one, it says so."""
        states, found = [self.START | dict(query=round(query, 2)) for query in PLACES.tolist()], set()
        for text, _, computed in node.compute("regress", self.spec(), states, code=SAY):
            at = computed["at"]
            off = {name: abs(at[name] - at["best"]) for name in ("network", "kernel")}
            found.add(nearer := off["kernel"] + 0.005 < off["network"])
            assert text.endswith(" Here the kernel happens to be nearer.") == nearer
        assert found == {False, True}

    def check_a_point_moves_in_both_directions(self, page):
        by_keys(".handle", "ArrowRight", "ArrowUp", "ArrowUp")(page)
        x, y = page.evaluate(STATE)["points"][0]
        assert abs(x - X[0] - 0.05) < 1e-9 and abs(y - Y[0] - 0.4) < 1e-9
