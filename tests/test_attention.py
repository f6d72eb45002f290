"""What the course teaches of attention, held to its properties; a class gets all by a line in `SUBJECTS`."""

import dataclasses
import itertools
import math

import torch
from torch.nn import functional as F
from torch.testing import assert_close

from taught.attention import DotProductAttention, cosines_and_sines, length_mask, masked_softmax, rotate
from tests.cases import HALF, PROPERTIES, Inputs, codes, hold, own, own_state, property_of, softmax_reference

# ---------------------------------------------------------------- subjects, and what torch says


def identity(values):
    """Values with which an output is its weights."""
    m = values.shape[-2]
    return torch.eye(m, dtype=values.dtype).expand(*values.shape[:-2], m, m)


def pooled(queries, keys, values, mask, **options):
    """Outputs and weights, by torch's function."""
    return tuple(
        F.scaled_dot_product_attention(queries, keys, vectors, attn_mask=mask, **options)
        for vectors in (values, identity(values))
    )


def additive_reference(x, state, case):
    """The score pair by pair, from the formula; torch's function adds it to its own, here 0."""
    W_q, W_k, w_v = (state[f"{name}.weight"] for name in ("W_q", "W_k", "w_v"))
    scores = torch.stack([torch.stack([
        torch.tanh(q @ W_q.mT + k @ W_k.mT) @ w_v[0] for k in x.keys.unbind(-2)], -1)
        for q in x.queries.unbind(-2)], -2)  # fmt: skip
    if x.mask is not None:
        scores = scores.masked_fill(~x.mask, -math.inf)
    nothing = 0 * x.queries[..., :1], 0 * x.keys[..., :1]
    return pooled(*nothing, x.values, scores)


def loop_reference(x, state, case):
    """One head after the other, with slices of the parameters."""
    kinds, heads = ("weight", "bias")[: 1 + case.bias], []
    for head in range(case.num_heads):
        rows = slice(head * case.d, (head + 1) * case.d)
        qkv = (
            F.linear(tensor, *(state[f"{name}.{kind}"][rows] for kind in kinds))
            for name, tensor in zip(("W_q", "W_k", "W_v"), x[:3], strict=True)
        )
        heads.append(pooled(*qkv, case.allowed()[:, head]))
    outputs, weights = zip(*heads, strict=True)
    output = F.linear(torch.cat(outputs, -1), state["W_o.weight"], state.get("W_o.bias"))
    return output, torch.stack(weights, 1)


@dataclasses.dataclass(frozen=True)
class Subject:
    """A class under test. A class of a later page is one more of these.

    With heads the inputs have one batch axis and one width D.
    """

    name: str
    sizes: callable  # what the constructor takes beside `dropout`
    widths: callable  # of queries and keys
    reference: callable  # (inputs, parameters, case) -> outputs, weights, without the course's code
    eps: int = 2  # how far a result may be from the exact one, in those of its dtype
    has_heads: bool = False  # the weights are (B, H, n, m)

    def fit(self, case):
        """The case as this class can do it; with heads, of d columns each."""
        if not self.has_heads:
            return case
        heads, v = (case.num_heads,), case.d * case.num_heads
        mask_heads, batch = heads if len(case.batch) == 2 else (), case.batch[:1] or (1,)
        return dataclasses.replace(case, batch=batch, v=v, heads=heads, mask_heads=mask_heads)

    def inputs(self, case):
        return case.inputs(*self.widths(case))

    def layer(self, course, case, dropout=0.0):
        return own(getattr(course, self.name)(**self.sizes(case), dropout=dropout), case)


SUBJECTS = [
    Subject(
        "DotProductAttention", sizes=lambda case: {}, widths=lambda case: (case.d, case.d),
        reference=lambda x, state, case: pooled(*x)),
    Subject(
        "AdditiveAttention", sizes=lambda case: {
            "query_size": case.query_size, "key_size": case.key_size, "num_hiddens": case.h},
        widths=lambda case: (case.query_size, case.key_size), reference=additive_reference),
    Subject(
        "MultiHeadAttention", sizes=lambda case: {
            "d_model": case.v, "num_heads": case.num_heads, "bias": case.bias},
        widths=lambda case: (case.v, case.v), reference=loop_reference, eps=5, has_heads=True),
]  # fmt: skip
SUBJECTS.append(dataclasses.replace(SUBJECTS[-1], name="CachedAttention"))


def of_classes(function):
    """Of each subject; the function takes it as its first argument, and cases that fit it."""
    for subject in SUBJECTS:

        def property_(course, case, subject=subject):
            return function(subject, course, subject.fit(case))

        PROPERTIES["layers"][f"{function.__name__}[{subject.name}]"] = property_
    return function


# ---------------------------------------------------------------- properties of the classes


def strided(tensor):
    """The same numbers, none of them beside another in memory."""
    space = tensor.new_zeros(*tensor.shape[:-2], 2 * tensor.shape[-1], 2 * tensor.shape[-2])
    return space[..., ::2, ::2].mT.copy_(tensor)


def output_of_nothing(layer):
    return layer.state_dict().get("W_o.bias", torch.tensor(0.0).double())


def both_ways(layer, x):
    """The output twice, with weights and without."""
    output, weights = layer(*x, need_weights=True)
    return output, layer(*x), weights


def gradients(results, leaves, case):
    """Of each result, times factors that are always the same, by each leaf."""
    options = dict(retain_graph=True, allow_unused=True, materialize_grads=True)
    for result in results:
        yield torch.autograd.grad(result, leaves, *case.randn(result.shape, stream=3), **options)


@of_classes
def equals_torch(subject, course, case):
    """Of strided inputs, left as they are: outputs, weights, gradients, in both modes."""
    x, layer = subject.inputs(case), subject.layer(course, case)
    state = own_state(layer, case)
    x = Inputs(*(None if tensor is None else strided(tensor) for tensor in x))
    before = [None if tensor is None else tensor.clone() for tensor in x]
    tensors = [tensor.requires_grad_() for tensor in x[:3]]
    parameters = dict(layer.named_parameters())
    leaves = tensors + [parameters[name] for name in state]
    by_torch = [*tensors, *(tensor.requires_grad_() for tensor in state.values())]
    output, weights = subject.reference(x, state, case)
    expected = output, output, weights
    slopes = [*gradients(expected, by_torch, case)]
    for training in (True, False):
        results = both_ways(layer.train(training), x)
        assert_close(results, expected)
        assert_close([*gradients(results, leaves, case)], slopes)
    for tensor, same in zip(x, before, strict=True):
        assert tensor is same or torch.equal(tensor, same)


@of_classes
def what_is_masked_weighs_exactly_nothing(subject, course, case):
    """All else weighs more. A query that sees nothing gets zeros, or the bias behind the pooling."""
    layer = subject.layer(course, case)
    *outputs, weights = both_ways(layer, subject.inputs(case))
    assert torch.equal(weights > 0, case.allowed()) and (weights[~case.allowed()] == 0).all()
    empty = ~case.reached().any(-1)  # (*batch, n)
    for output in outputs:
        assert (output[empty] == output_of_nothing(layer)).all()


@of_classes
def dropout_works_in_training_only(subject, course, case):
    """The mean of many calls stays, up to 6 sigma; of all nothing is left. Weights are those before it."""
    if subject.has_heads:  # the one batch axis is for the repetitions
        case = dataclasses.replace(case, batch=(1,))
    x, plain = subject.inputs(case), both_ways(subject.layer(course, case), subject.inputs(case))
    repeated = x._replace(queries=x.queries.expand(200, *x.queries.shape[subject.has_heads :]))
    torch.manual_seed(case.seed)
    for p in (0.25, 1.0):
        layer = subject.layer(course, case, dropout=p)
        *outputs, weights = both_ways(layer, repeated)
        assert_close(weights, plain[-1].expand_as(weights))
        for output, its in zip(outputs, plain):
            spread = output.std(dim=0) / math.sqrt(len(output))
            wanted = its if p < 1 else output_of_nothing(layer)
            assert ((output.mean(dim=0) - wanted).abs() <= 6 * spread + 1e-9).all()
        assert_close(both_ways(layer.eval(), x), plain)


@of_classes
def precisions(subject, course, case):
    """Results of that dtype, right up to its roundings: the worst of 1500 cases is 1.5 eps off."""
    for dtype in (*HALF, torch.float32):
        layer = subject.layer(course, case).to(dtype)
        *tensors, mask = subject.inputs(case)
        x = Inputs(*((tensor / 4).to(dtype) for tensor in tensors), mask)
        exact = Inputs(*(tensor.double() for tensor in x[:3]), mask)
        exact_state = {name: tensor.double() for name, tensor in layer.state_dict().items()}
        output, weights = subject.reference(exact, exact_state, case)
        results = both_ways(layer, x)
        assert [result.dtype for result in results] == [dtype] * 3
        off = subject.eps * torch.finfo(dtype).eps
        expected = output, output, weights
        assert_close(results, expected, rtol=off, atol=off, check_dtype=False)


@property_of("layers")
def steps_with_a_cache_equal_one_pass(course, case):
    """Weights too, in two steps and one by one. With nothing new, the last step once more."""
    n, subject = case.n + 1, SUBJECTS[-1]
    case = dataclasses.replace(subject.fit(case), n=n, m=n, kind="none")  # as many keys as queries, 2 or more
    x, layer = subject.inputs(case), subject.layer(course, case)
    for starts in ([0, 1 + case.seed % (n - 1)], [*range(n)]):
        parts, causal = [*itertools.pairwise([*starts, n])], torch.zeros(n, n, dtype=torch.bool)
        for a, b in parts:
            causal[a:b, :b] = True
        random = dataclasses.replace(case, kind="random").mask()
        for mask in (causal, causal & random):
            output, fused, weights = both_ways(layer, x._replace(mask=mask))
            caches = course.Cache(), course.Cache()
            for a, b in parts:
                new = [*(tensor[:, a:b] for tensor in x[:3]), mask[..., a:b, :b]]
                assert_close(layer(*new, cache=caches[0]), fused[:, a:b])
                step = layer(*new, need_weights=True, cache=caches[1])
                assert_close(step, (output[:, a:b], weights[:, :, a:b, :b]))
            nothing = x.keys[:, :0], x.values[:, :0]
            again = layer(x.queries[:, a:], *nothing, mask[..., a:, :], True, caches[0])
            assert_close(again, step)


# ---------------------------------------------------------------- properties of the functions


@property_of("layers")
def masked_softmax_equals_torch(course, case):
    """And its gradient, for scores of any size and any layout. Masked ones may be nan. All are left alone."""
    (scores, factors), allowed = case.randn(*2 * [(*case.batch, case.n, case.m)]), case.allowed()
    tensors = [scores, 1e3 * scores, scores - 1e12, scores + 1e12, scores * scores.exp() ** 5]
    tensors += [strided(scores), scores[..., :1, :].expand_as(scores)]
    tensors += [scores.masked_fill(~allowed, content) for content in (math.nan, math.inf, -math.inf, 1e300)]
    for tensor in tensors:
        before, leaf = tensor.clone(), tensor.detach().requires_grad_()
        clean = tensor.masked_fill(~allowed, 0.0).requires_grad_()
        weights, truth = course.masked_softmax(leaf, case.mask()), softmax_reference(clean, allowed)
        assert_close(weights, truth)
        with torch.autograd.set_detect_anomaly(True):  # raises for a nan on the way, too
            (slope,) = torch.autograd.grad(weights, leaf, factors)
        assert_close(slope, *torch.autograd.grad(truth, clean, factors))
        assert (weights[~allowed] == 0).all()
        assert_close(tensor, before, rtol=0, atol=0, equal_nan=True)


@property_of("layers")
def length_mask_counts(course, case):
    """For any kind of integer; m may be larger than such an integer."""
    for m in (case.m, 300):
        generator = torch.Generator().manual_seed(case.seed)
        lengths = torch.randint(0, min(m, 127) + 1, (case.d, case.n), generator=generator)
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            for counts in (lengths.to(dtype), lengths[:, 0].to(dtype)):
                mask = course.length_mask(counts, m)
                rows = counts.reshape(case.d, -1).tolist()
                assert mask.dtype == torch.bool
                expected = [[[j < length for j in range(m)] for length in row] for row in rows]
                assert mask.tolist() == expected


@property_of("layers")
def causal_mask_never_looks_ahead(course, case):
    n = case.n
    assert torch.equal(course.causal_mask(n), course.causal_mask(n, 0))
    for offset in (0, case.m):
        mask = course.causal_mask(n, offset)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[j <= offset + i for j in range(offset + n)] for i in range(n)]
        for device in ("cpu", torch.device("meta")):
            assert course.causal_mask(n, offset, device=device).device == torch.device(device)
            assert course.causal_mask(n, offset, device).shape == mask.shape


@property_of("layers")
def pooling_equals_torch(course, case):
    """And its gradients. Equal also when all scores are 1000 higher."""
    q, k, v = leaves = [tensor.requires_grad_() for tensor in case.inputs(case.d, case.d)[:3]]
    expected = pooled(q, k, v, None, scale=1.0)
    slopes = [*gradients(expected, leaves, case)]
    for shift in (0, 1000):
        results = course.attention_pooling(q, k, v, lambda q, k: q @ k.mT + shift)
        assert_close(results, expected)
        assert_close([*gradients(results, leaves, case)], slopes)


# ---------------------------------------------------------------- properties of the encoding


def encoded(course, case, **options):
    """Vectors (*batch, n, d), and an encoding of that width in eval mode."""
    (x,) = case.randn((*case.batch, case.n, case.d))
    return x, course.PositionalEncoding(case.d, **options).eval()


@property_of("layers")
def encoding_adds_the_codes(course, case):
    """In all precisions, at the first and last places, up to the rounding of a float32 table."""
    for dtype in (*HALF, torch.float32, torch.float64):
        for table, offset in itertools.product((torch.float32, dtype), (0, case.m, 1000 - case.n)):
            x, layer = encoded(course, case)
            result = layer.to(table)(inputs := x.to(dtype), offset)
            assert result.dtype == dtype and torch.equal(inputs, x.to(dtype))
            expected = inputs.double() + codes(offset, case.n, case.d)
            atol = 1e-7 + (4 * torch.finfo(dtype).eps if dtype != torch.float64 else 0)
            assert_close(result.double(), expected, atol=atol, rtol=0)


@property_of("layers")
def rotation_turns_each_pair_by_its_angle(course, case):
    """As a complex number it is multiplied by exp(-i angle), in all precisions. Lengths stay."""
    width, far = 2 * case.d, (0, case.m, 8000)
    (x,) = case.randn((*case.batch, case.n, width))
    for dtype, offset in itertools.product((*HALF, torch.float32, torch.float64), far):
        for options in ({}, {"base": 500_000}):
            result = course.rotate(inputs := x.to(dtype), offset, **options)
            assert result.dtype == dtype and torch.equal(inputs, x.to(dtype))
            code = codes(offset, case.n, width, **options)
            pairs = torch.view_as_complex(inputs.double().unflatten(-1, (-1, 2)))
            expected = torch.view_as_real(pairs * torch.complex(code[:, 1::2], -code[:, 0::2]))
            off = 1e-10 if dtype == torch.float64 else 8 * torch.finfo(dtype).eps
            assert_close(result.double(), expected.flatten(-2), atol=off, rtol=0)
    batch, far = torch.stack([x, x]), torch.tensor([0, 7]).view(2, *[1] * (x.dim() - 1))
    assert_close(course.rotate(batch, far), torch.stack([course.rotate(x), course.rotate(x, 7)]))
    course.cosines_and_sines.cache_clear()
    with torch.inference_mode():
        course.rotate(x)  # which keeps its angles, for the training below, too
    course.rotate(x.requires_grad_()).square().sum().backward()
    assert_close(x.grad, 2 * x.detach())
    assert course.rotate(x.to("meta")).device.type == "meta"


# ---------------------------------------------------------------- tests


test_property = hold("layers", examples=12)


def test_what_rotate_keeps_is_made_once():
    """60 calls of a step make their angles once."""
    x = torch.randn(2, 3, 5, 8)
    cosines_and_sines.cache_clear()
    for _ in range(30):
        rotate(x, 7)
        rotate(x[:, :1], 7)
    assert cosines_and_sines.cache_info().misses == 1


def test_a_score_of_minus_infinity_is_a_weight_of_0():
    """A caller who adds a mask of floats to the scores may give a boolean one too."""
    scores = torch.tensor([[-math.inf, 1.0, 1.0, 1.0]])
    weights = masked_softmax(scores, length_mask(torch.tensor([[3]]), 4)[0])
    assert weights.tolist() == [[0.0, 0.5, 0.5, 0.0]]


def test_products_beyond_16_bits_are_divided_first():
    q = torch.full((1, 1, 1, 64), 40.0).half()
    keys = torch.cat([q, q + 1], dim=2)
    values = torch.tensor([[1.0], [2.0]]).half().expand(1, 1, 2, 1)
    output, weights = DotProductAttention()(q, keys, values, need_weights=True)
    assert output == DotProductAttention()(q, keys, values) == 2
    assert weights.flatten().tolist() == [0, 1]
