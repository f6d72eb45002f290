"""What the pages on the inside of a model keep: hooks, tiny models, and the repairs of the softmax."""

import itertools
import math
from types import SimpleNamespace

import torch
from torch.nn import functional as F
from torch.testing import assert_close

from data.facts import NAMES, NONE, VOCABULARY, facts
from tests.cases import HALF, hold, named, own, property_of, softmax_reference
from tests.course import COURSE
from tests.test_real_model import close, widths
from tests.test_transformer import tokens

# ---------------------------------------------------------------- hooks


@property_of("inside")
def blocks_and_maps_are_those_of_the_models_own_pass(course, case):
    """For models with and without positions of their own; a token alone has a row, too."""
    V, D, H, G, layers, hidden = widths(case)
    for model in (
        own(course.LanguageModel(V, D, H, layers, hidden), case),
        own(course.Llama(V, D, H, G, layers, hidden), case),
        own(course.TinyModel(V, H, layers, D), case),
    ):
        for n in (1, case.n + 1):
            text, _ = tokens(case, V, n, stream=3)
            with COURSE.attention_maps(model) as maps:
                logits = model(text)
            x = course.run_blocks(model, text)
            assert x.shape == (len(text), n, D)
            read = getattr(model, "output", lambda x: x @ model.embedding.weight.mT)  # noqa: B023
            assert_close(read(model.norm(x)), logits)
            weights = course.weights_in(model, text)
            assert weights.shape == (layers, len(text), H, n, n)
            assert_close(weights, torch.stack([block_map for (block_map,) in maps.values()]))
        assert not model.norm._forward_pre_hooks


@property_of("inside")
def what_has_no_map_of_each_block_is_refused(course, _):
    """Where one has none, or one block stands twice: never maps of other blocks."""
    text, tiny = torch.zeros(1, 3).long(), course.TinyModel(5, 1, 3, 8)
    tiny.blocks[1].attention.attention = course.Repaired("softmax", 3, 8)
    with named(ValueError, "model has 3 blocks, and 2 maps"):
        course.weights_in(tiny, text)
    tiny.blocks = torch.nn.ModuleList([tiny.blocks[0]] * 2)
    with named(ValueError, "2 maps of DotProductAttention were found in 1 layers"):
        course.weights_in(tiny, text)
    del tiny.norm
    with named(ValueError, "model is TinyModel, which has no norm; wanted a language model"):
        course.run_blocks(tiny, text)


# ---------------------------------------------------------------- tiny models


@property_of("inside")
def a_tiny_model_is_llama_with_an_output_layer(course, case):
    V, _, H, _, layers, _ = widths(case)
    D = 4 * H
    tiny, outputs = own(course.TinyModel(V, H, layers, D), case), []
    llama = COURSE.Llama(V, D, H, H, layers, 128, base=100, eps=1e-5).double()
    state = {k: tensor for k, tensor in tiny.state_dict().items() if not k.startswith("output")}
    llama.load_state_dict(state)
    llama.norm.eps = 1e-6  # as RMSNorm has it
    llama.norm.register_forward_hook(lambda norm, inputs, output: outputs.append(output))
    text, _ = tokens(case, V, case.n + 1, stream=3)
    llama(text)
    assert_close(tiny(text), outputs[0] @ tiny.output.weight.mT + tiny.output.bias)
    assert course.TinyModel(V, 1, 1).embedding.weight.shape == (V, 64)
    for dtype in HALF:
        assert tiny.to(dtype)(text).dtype == dtype
    with named(ValueError, f"tokens holds {V}; wanted 0 to {V - 1}"):
        tiny(text * 0 + V)


def trained_by_hand(model, loss_of, steps, rate):
    """`loss_of()` draws and gives a loss."""
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()
        schedule.step()


@property_of("inside")
def a_tiny_model_learns_what_comes_next(course, case):
    V, skip, seed = case.query_size + 3, case.seed % 3, case.seed % 7
    start = own(COURSE.TinyModel(V, 1, 1, 4), case).state_dict()

    def draw(count, generator):
        return torch.randint(V, (count, 6), generator=generator)

    def fresh(kind):
        model = kind(V, 1, 1, 4).double()
        model.load_state_dict(start)
        return model

    tiny, reference = fresh(course.TinyModel), fresh(COURSE.TinyModel)
    course.train_tiny(tiny, draw, 20, seed, skip, batch=3, rate=0.02)
    generator = torch.Generator().manual_seed(seed)

    def loss_of():
        batch = draw(3, generator)
        log_p = reference(batch).log_softmax(dim=-1)
        losses = [-log_p[b, t, batch[b, t + 1]] for b in range(3) for t in range(skip, 5)]
        return sum(losses) / len(losses)

    trained_by_hand(reference, loss_of, 20, 0.02)
    close(tiny.state_dict(), reference.state_dict())
    for wrong in (-1, 5):
        with named(ValueError, f"skip is {wrong}; wanted a whole number from 0 to 4"):
            course.train_tiny(tiny, draw, 20, seed, wrong, batch=3, rate=0.02)


@property_of("repairs")
def what_follows_is_a_softmax_of_normal_numbers(course, _):
    generator = torch.Generator().manual_seed(5)
    exps = (1.5 * torch.randn(32, 32, generator=generator)).exp()
    assert_close(course.what_follows(), exps / exps.sum(dim=1, keepdim=True))


@property_of("repairs")
def a_trigger_is_followed_by_the_token_before_it(course, case):
    follows = COURSE.what_follows()
    for triggers, bos in ((4, True), (4, False), (0, True), (32, False)):
        generator = torch.Generator().manual_seed(case.seed)
        texts, truth = course.chain(20, generator, triggers, bos)
        assert texts.shape == (20, 49) and truth.shape == (20, 48, 32)
        assert (texts[:, 0] == 32).all() == bos and texts[:, 1:].max() < 32
        if not bos:
            assert texts[:, 0].unique().numel() > 5 and texts[:, 0].max() < 32
        assert not truth[:, 0].any()  # nothing is known of what comes first
        before, last = texts[:, :-2, None], texts[:, 1:-1]
        copied = (last < triggers) & (torch.arange(1, 48) > 1)  # nothing but a beginning stands before the first
        expected = torch.where(copied[..., None], (torch.arange(32) == before).float(), follows[last])
        assert_close(truth[:, 1:], expected)
        # What is drawn is as likely as it says, up to 6 sigma.
        log_p = truth[:, 1:].clamp(min=1e-30).log()
        mean = (truth[:, 1:] * log_p).sum(dim=-1)
        spread = (truth[:, 1:] * log_p.square()).sum(dim=-1) - mean.square()
        drawn = log_p.gather(-1, texts[:, 2:, None])[..., 0]
        assert (drawn - mean).sum().abs() <= 6 * spread.sum().clamp(min=1e-6).sqrt()


# ---------------------------------------------------------------- repairs of the softmax


def formulas(scores, second, allowed, s, n):
    """The weights of each repair, from its formula; s is of the shape (..., 1, 1)."""
    exps = scores.masked_fill(~allowed, -math.inf).exp()
    keys = allowed.sum(dim=-1, keepdim=True).clamp(min=1).to(scores.dtype)
    softmax = softmax_reference(scores, allowed)
    return {
        "softmax": softmax,
        "sink": exps / (s.exp() + exps.sum(-1, True)),
        "differential": softmax - s * softmax_reference(second, allowed),
        "sigmoid": exps / (exps + n),
        "log n": softmax_reference(s * keys.log() * scores, allowed),
    }


def repairs(course, scores, second, mask, s):
    """The same from the course."""
    s = s.flatten() if s.numel() > 1 or s.dim() > 2 else s.flatten()[0]  # (H,), (1,) or ()
    return {
        "sink": course.with_sink(scores, mask, s),
        "differential": course.differential(scores, second, mask, s),
        "sigmoid": course.sigmoid_weights(scores, mask, 7),
        "log n": course.scalable_softmax(scores, mask, s),
    }


def heads(case):
    """The shape of a learned number, (1, 1, 1) or (H, 1, 1) with the last of the leading axes."""
    return (case.batch[-1] if case.batch and case.seed % 2 else 1, 1, 1)[-1 - len(case.batch) - 1 :]


@property_of("repairs")
def repairs_are_their_formulas(course, case):
    """With any mask, and with none; so are gradients, and a masked score, even nan, changes nothing."""
    shape = (*case.batch, case.n, case.m)
    scores, second, s = case.randn(shape, shape, heads(case))
    leaves = [x.requires_grad_() for x in (scores, second, s)]
    mask, allowed = case.mask(), case.allowed()
    expected = formulas(*leaves[:2], allowed, s, 7)
    dirty = [x.detach().masked_fill(~allowed, math.nan).requires_grad_() for x in (scores, second)]
    (use,) = case.randn(shape, stream=7)
    for inputs in (leaves, [*dirty, s]):
        for name, actual in repairs(course, *inputs[:2], mask, s).items():
            assert_close(actual, expected[name])
            assert not actual[~allowed].any(), name
            options = dict(allow_unused=True, retain_graph=True)
            pairs = (actual, inputs), (expected[name], leaves)
            slopes = [torch.autograd.grad((use * weights).sum(), x, **options) for weights, x in pairs]
            assert_close(*[[x for x in grads if x is not None] for grads in slopes])


KINDS = COURSE.Repaired.kinds


def repaired(course, kind, n, d, case, dtype=torch.float64):
    """The layer, with x for a gate."""
    attention = own(course.Repaired(kind, n, d), case)
    attention.x = case.randn((2, 1, case.n, d), stream=8)[0].to(dtype)
    return attention.to(dtype)


def repaired_by_hand(state, x, kind, n, q, k, v, mask):
    """The output and the weights, of parameters by their names."""
    d = q.shape[-1]
    scores = second = q @ k.mT / math.sqrt(d)
    s = state.get("s", torch.tensor(0.0))
    if "differential" in kind:
        columns = torch.arange(d) // 2 % 2 == 0  # pairs in turn belong to the two maps
        a, b, c, e = state["vectors"]
        s = (a * b).sum().exp() - (c * e).sum().exp() + 0.2
        scores, second = (q[..., half] @ k[..., half].mT / math.sqrt(d / 2) for half in (columns, ~columns))
    allowed = (torch.ones_like(scores) > 0 if mask is None else mask).expand(scores.shape)
    weights = formulas(scores, second, allowed, s[None, None], n if kind == "sigmoid" else k.shape[-2])
    weights = weights[next((name for name in weights if name in kind.replace("plus one", "sink")), "softmax")]
    output = weights @ v
    if kind in ("differential", "norm alone"):
        output = 0.8 * F.rms_norm(output, output.shape[-1:], state["norm.gamma"], 1e-5)
    if kind == "gate":
        output = output / (1 + (-x @ state["W_g.weight"].mT).exp())
    return output, weights


@property_of("repairs")
def a_repaired_head_is_its_formula(course, case):
    """Each kind, with masks of any size and with none, for a token alone, and in 16 bits."""
    n, m, d = case.n, case.m, 4 * case.d
    q, k, v = case.randn((2, 1, n, d), (2, 1, m, d), (2, 1, m, d))
    full, rows, column = ((x > 0) for x in case.randn((2, 1, n, m), (n, m), (n, 1), stream=4))
    for kind in KINDS:
        attention = repaired(course, kind, 7, d, case)
        for mask in (None, full, rows, column, torch.zeros(1, 1, dtype=torch.bool)):
            its = dict(attention.named_parameters())
            expected, weights = repaired_by_hand(its, attention.x, kind, 7, q, k, v, mask)
            assert_close(attention(q, k, v, mask), expected)
            assert_close(attention.weights, weights)
        for dtype in HALF:
            attention = repaired(course, kind, 7, d, case, dtype)
            half = attention(*(x.to(dtype) for x in (q, k, v)), full)
            assert half.dtype == attention.weights.dtype == dtype and half.isfinite().all(), kind
        attention = repaired(course, kind, 7, d, case).to("meta")
        attention.x = attention.x.to("meta")
        assert attention(*(x.to("meta") for x in (q, k, v, full))).is_meta  # on any device
        attention = repaired(course, kind, 7, d, case, torch.float16)
        large = torch.full((2, 1, n, d), 220 / d**0.25).half()  # scores of 48,000, products of more
        assert attention(large, large, large).isfinite().all(), kind


@property_of("repairs")
def an_unknown_kind_is_refused_by_name(course, _):
    """Also one that is set later: no slip falls through to the softmax."""
    q = torch.zeros(1, 1, 2, 4)
    for wrong in ("plus_one", "Softmax", "sink", "differential ", None):
        for act in (lambda: course.Repaired(wrong, 8), lambda: course.Reader(wrong, False)):  # noqa: B023
            with named(ValueError, f"kind is {wrong!r}; wanted one of 'softmax', 'plus one', "):
                act()
        attention = course.Repaired("softmax", 8, 4)
        attention.kind = wrong
        with named(ValueError, f"kind is {wrong!r}; wanted one of"):
            attention(q, q, q)
    with named(TypeError, "x is NoneType; wanted the tokens that ask"):
        course.Repaired("gate", 8, 4)(q, q, q)


# ---------------------------------------------------------------- facts


@property_of("repairs")
def a_reader_answers_from_one_output(course, case):
    for kind, rotary in (("softmax", True), ("log n", False), ("gate", True)):
        reader = own(course.Reader(kind, rotary, D=8), case)
        text, question, *_ = facts(3, case.n + 3, torch.Generator().manual_seed(case.seed))
        n, state = case.n + 3, dict(reader.named_parameters())
        x, y = (
            F.rms_norm(sum(state["embedding.weight"][triples[..., i]] for i in range(3)), (8,),
                       state["norm.gamma"], 1e-5)
            for triples in (text, question)
        )  # fmt: skip
        q, k, v = (vectors @ state[f"W_{name}.weight"].mT for vectors, name in ((y, "q"), (x, "k"), (x, "v")))
        if rotary:
            q, k = COURSE.rotate(q, n), COURSE.rotate(k, 0)
        head = {name.removeprefix("attention."): parameter for name, parameter in state.items()}
        output, _ = repaired_by_hand(head, y, kind, 32, q, k, v, None)
        W_1, W_g, W_2 = (state[f"ffn.W_{name}.weight"].mT for name in "1g2")
        output = output + (F.silu(output @ W_g) * (output @ W_1)) @ W_2
        close(reader(text, question), output @ state["output.weight"].mT + state["output.bias"])
        assert len(W_2) == (107 if kind == "gate" else 128)
    assert course.Reader("softmax", False).embedding.weight.shape == (VOCABULARY, 64)


@property_of("repairs")
def reading_is_learned_from_facts(course, _):
    reader = course.read_facts("gate", True, seed=1, rate=0.01, steps=20, unknown=0.5)
    torch.manual_seed(1)
    reference = COURSE.Reader("gate", True)
    generator = torch.Generator().manual_seed(101)

    def loss_of():
        text, question, answer, _ = facts(32, 32, generator, unknown=0.5)
        log_p = reference(text, question).log_softmax(dim=-1)
        return -log_p.gather(-1, answer[..., None]).mean()

    trained_by_hand(reference, loss_of, 20, 0.01)
    assert_close(reader.state_dict(), reference.state_dict(), rtol=0, atol=1e-4)


@property_of("repairs")
def answers_are_counted_by_what_the_text_has(course, case):
    """By a stub that knows what it says, and where it looks."""
    n, seed = case.n + 3, case.seed % 9

    logits, weights = case.randn((6, 16, NONE + 1), (6, 16, n))

    class Stub:
        attention = SimpleNamespace(weights=weights)

        def __call__(self, text, question):
            return logits

    for unknown in (1 / 3, 0.0):
        actual = course.answers(Stub(), n, count=6, seed=seed, unknown=unknown)
        generator = torch.Generator().manual_seed(seed)
        _, _, answer, where = facts(6, n, generator, unknown=unknown)
        rows = {"match": [], "none": [], "on": [], "nats": []}
        for i, j in itertools.product(range(6), range(16)):
            target, row = answer[i, j].item(), logits[i, j]
            rows["none" if target == NONE else "match"].append(row.argmax().item() == target)
            rows["nats"].append(row.logsumexp(0).item() - row[target].item())
            if target != NONE:
                rows["on"].append(weights[i, j, where[i, j]].item())
        means = {k: sum(values) / len(values) if values else None for k, values in rows.items()}
        assert actual.keys() == means.keys()
        for name, mean in means.items():
            assert actual[name] == mean or abs(actual[name] - mean) < 1e-6, name
        assert (means["none"] is None) == (unknown == 0)


def test_a_text_of_facts_has_the_answers():
    """However short it is, also a fact and a filler; what has none is refused."""
    for n in (2, 3, 5, 40):
        text, queries, answer, where = facts(100, n, torch.Generator().manual_seed(0))
        share = (text[..., 0] < NAMES).float().mean(dim=1)
        assert 0 < share.min() and share.max() < 1 and (where < n).all()
    for triples, questions, values, positions in zip(text, queries, answer, where):
        table = {(a, b): c for a, b, c in triples.tolist() if a < NAMES}
        assert len(table) == sum(a < NAMES for a, _, _ in triples.tolist())  # no name twice
        for (a, b, _), value, position in zip(questions.tolist(), values.tolist(), positions):
            assert table.get((a, b), 2 * NAMES + NONE) == 2 * NAMES + value
            assert value == NONE or triples[position].tolist()[:2] == [a, b]
    assert 0.25 < (answer == NONE).float().mean() < 0.42
    for n in (1, 1025):
        with named(ValueError, f"n is {n}; wanted 2, a fact and a filler, to 1024, all the names"):
            facts(1, n, torch.Generator())


test_property = hold("inside", examples=4)
test_repair = hold("repairs", examples=5)
