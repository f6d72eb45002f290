"""Live figures: drawn in the reader's browser, with no kernel, no network and no library.

    live.mask(tokens, scores, static=fig, alt="...")

displays a figure that moves. Its output carries data and script, so it works in the built book, in
JupyterLab, on Colab and from a file. `static`, an ordinary figure, is shown where no script runs;
`alt` describes it in one sentence, as for `show`. Drawing and arithmetic are in `live.js`, the look
in `live.css`. How to add a figure is in CONTRIBUTING.md.

Numbers that don't fit raise an error that names the argument before anything is drawn: a
`TypeError` for what is no list of numbers at all, a `ValueError` for the rest.
"""

import base64
import io
import json
import math
import re
from html import escape, unescape
from pathlib import Path

from utils.palette import CLASSES, DARK, LIGHT, variables

HERE = Path(__file__).resolve().parent
TAG = "attention-live-1"
SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)
WEIGHTS = re.compile(r'<script class="translator">.*?</script>', re.DOTALL)
TRANSLATING = ["twins", "looks", "sentence"]  # kinds that run the trained translator
KIND = re.compile(rf'<{TAG} kind="(\w+)"')
WIDTHS = [round(0.005 * 1.16**k, 4) for k in range(44)]  # of a kernel, 0.005 to 3
TEMPERATURES = [0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 3, 10]


def all_kinds():
    """The kinds of figures that live.js draws."""
    return re.findall(r"(?m)^FIGURES\.(\w+) =", (HERE / "live.js").read_text(encoding="utf-8"))


def script(*kinds):
    """The script that an output carries: live.js with its style, without what a reader needs.

    kinds: the figures that it draws, "mask" for example; none keeps them all.
    """
    code = (HERE / "live.js").read_text(encoding="utf-8")
    start, *parts = re.split(r"(?m)^// ---- (?:figures? ([\w, ]+)|(?=the element))[^\n]*\n", code)
    wanted = {*kinds} or {*all_kinds()}
    assert wanted <= {*all_kinds()}, kinds
    code = start
    for names, part in zip(parts[::2], parts[1::2]):  # the element, which has no kind, comes last
        if names is None or wanted & {*names.split(", ")}:
            code += part
    code = code.replace('"@ENGINE@";', (HERE / "engine.js").read_text(encoding="utf-8"))
    css = (HERE / "live.css").read_text(encoding="utf-8")
    css, *own = re.split(r"(?m)^/\* ---- figures? ([\w, ]+)[^\n]*\*/\n", css)
    own += ["transformer", CLASSES]  # it holds a diagram
    for names, part in zip(own[::2], own[1::2]):  # a look of one's own comes with the figure
        code = code.replace(f'"@STYLE {names}@"', json.dumps(part.replace("\n", "")))
    css = re.sub(r"/\*.*?\*/\s*", "", css, flags=re.DOTALL).replace("\n", "")
    hues = f":host{{{variables(LIGHT)}}}:host([theme=dark]){{{variables(DARK)}}}"
    code = re.sub(r"(?ms)^ *(/\*.*?\*/|//[^\n]*)\n", "", code)
    code = re.sub(r"(?m)^ +", "", code)
    return code.replace('"@STYLE@"', json.dumps(hues + css)).strip()


def weights():
    """The weights of the trained translator as a script: a file of the book, or part of an output."""
    data = (HERE / "data" / "translator.json").read_text(encoding="utf-8").strip()
    return f"window.attentionTranslator ??= {data};"


def with_script(html):
    """The output of a live figure with the script of today, as it is stored: without weights."""
    html = SCRIPT.sub(lambda _: f"<script>{script(KIND.search(html)[1])}</script>", html)
    return WEIGHTS.sub("", html)


def in_small(html):
    """The output of `twins` as `small=True` gives it, for another page."""
    if KIND.search(html)[1] != "twins":
        raise ValueError(f"{KIND.search(html)[1]!r} is no figure that can be small; wanted 'twins'")
    spec = json.loads(unescape(re.search(r"spec='([^']*)'", html)[1]))
    spec |= dict(pairs=spec["pairs"][:1], small=True, hint=HINTS[True])
    return re.sub(r"spec='[^']*'", lambda _: f"spec='{_attribute(spec)}'", html, count=1)


# ---------------------------------------------------------------- the figures


def lookup(names, places, *, name, temperature=0.1, static, alt):
    """A dictionary that forgives spelling: a query to type, a temperature to move.

    names: m words of the letters a to z, the keys, compared by their pairs of letters. places: m
    pairs of numbers, the values. The answer is attention's, equation (1.3) of the course.
    """
    names, places = _words("names", names), _numbers("places", places, (len(names), 2))
    for each in names:
        if not re.fullmatch(r"[A-Za-z ]+", each):
            raise ValueError(f"names holds {each!r}; wanted letters a to z alone")
    hint = "type Varsovie, then a city in your own language, and move the temperature."
    spec = dict(names=names, places=places, name=str(name), temperatures=TEMPERATURES)
    spec["temperature"] = _one_of("temperature", temperature, TEMPERATURES)
    _display("lookup", spec, hint, static, alt)


def kernel(x, y, *, truth, width=0.25, query=None, static, alt):
    """Kernel regression: a width, a kernel and a query to choose, points to drag.

    x, y: m numbers each, keys and values. truth: pairs (x, y) along the true curve. Weights are
    those of equation (2.2), the leave-one-out error is that of equation (2.5).
    """
    x = _numbers("x", x, (None,))
    y, truth = _numbers("y", y, (len(x),)), _numbers("truth", truth, (None, 2))
    if len(x) < 3 or len(set(x)) < 2:
        raise ValueError(f"x holds {len(x)} points; wanted 3 or more, not all at one place")
    query = (min(x) + max(x)) / 2 if query is None else _number("query", query)
    hint = (
        "make the width so small that the curve passes through every point. What does the "
        "leave-one-out error say? Then drag a point up, or move it by the arrow keys."
    )
    spec = dict(x=x, y=y, truth=truth, widths=WIDTHS, width=_number("width", width), query=query)
    _display("kernel", spec, hint, static, alt)


def mask(tokens, scores, *, length=None, causal=False, static, alt):
    """Masks and the weights they leave, equation (3.3): cells to press, rules to combine.

    tokens: n words. scores: (n, n) numbers. length: how many tokens are allowed at the start.
    """
    tokens = _words("tokens", tokens)
    scores = _numbers("scores", scores, (len(tokens), len(tokens)))
    length = _one_of("length", len(tokens) if length is None else length, range(len(tokens) + 1))
    hint = (
        "set the valid length to 3, add the window, and find the rows that are empty. What do the "
        "three conventions make of them?"
    )
    spec = dict(tokens=tokens, scores=scores, length=length, causal=bool(causal))
    _display("mask", spec, hint, static, alt)


def scale(*, m=16, width=256, divided=False, seed=1, static, alt):
    """One query and m keys of random entries: scores, weights and gradient at a width, with the
    divisor of equation (4.2) or without. Each key has a random value of 4 numbers, and the loss is
    the mean squared difference between the output and the value of key 0."""
    m, seed = _one_of("m", m, range(2, 33)), _one_of("seed", seed, range(10_000))
    width = _one_of("width", width, [2**k for k in range(11)])
    hint = (
        "draw again a few times: how often is it the right key that wins? Then divide by √d, and "
        "move d."
    )
    spec = dict(m=m, width=width, divided=bool(divided), seed=seed)
    _display("scale", spec, hint, static, alt)


def heads(weights, queries, keys=None, *, names=None, mask=None, layer=0, head=0, static, alt):
    """Attention weights (layers, heads, n, m) between n queries and m keys, as lines and as a map.

    queries, keys: n and m words; keys is the queries if it isn't given. names: of the heads. mask:
    booleans that broadcast to the weights, True = may attend, the same for all heads of a layer.
    Each row of weights sums to 1, or to 0 where its mask allows no key.
    """
    queries = _words("queries", queries)
    keys = queries if keys is None else _words("keys", keys)
    weights = _numbers("weights", weights, (None, None, len(queries), len(keys)))
    shape = len(weights), len(weights[0]), len(queries), len(keys)
    names = [f"head {k + 1}" for k in range(shape[1])] if names is None else _words("names", names)
    if len(names) != shape[1]:
        raise ValueError(f"names holds {len(names)} words; wanted one for each of {shape[1]} heads")
    shut = None if mask is None else _masked(mask, shape)
    for k, per_layer in enumerate(weights):
        for h, matrix in enumerate(per_layer):
            for i, row in enumerate(matrix):
                _check_row(f"weights[{k}][{h}][{i}]", row, shut and shut[k][i])
    spec = dict(queries=queries, keys=keys, names=names, masked=shut, weights=weights)
    spec |= dict(layer=_one_of("layer", layer, range(shape[0])))
    spec |= dict(head=_one_of("head", head, range(shape[1])))
    hint = "point at a word on either side, or tab to it. Press it to keep it."
    _display("heads", spec, hint, static, alt, digits=3)


def captions(images, words, weights, boxes, about, others, *, static, alt):
    """Two pictures, and where a captioner looks before it writes each word of their captions.

    images: (2, 3, side, side) numbers from 0 to 1. words: two captions of n words. weights:
    (2, n, 64), one row of 8 x 8 cells for each word. boxes: for both pictures, the left, top, right
    and bottom edges of its objects in pixels, (2, objects, 4). about: (2, n), the object that a word
    names, or -1. others: the words that are written with the contexts of the other picture.
    """
    words, others = (
        [_words(name, each) for each in both]
        for name, both in (("words", words), ("others", others))
    )
    n = len(words[0])
    for name, both in (("words", words), ("others", others)):
        if [len(each) for each in both] != [n, n]:
            sizes = ", ".join(str(len(each)) for each in both)
            raise ValueError(f"{name} has captions of {sizes} words; wanted two of {n}")
    images = _numbers("images", images, (2, 3, None, None))
    weights = _numbers("weights", weights, (2, n, 64))
    boxes, about = _numbers("boxes", boxes, (2, None, 4)), _numbers("about", about, (2, n))
    for p, rows in enumerate(weights):
        for t, row in enumerate(rows):
            _check_row(f"weights[{p}][{t}]", row, None)
    about = [[int(_one_of("about", k, range(-1, len(boxes[0])))) for k in row] for row in about]
    spec = dict(images=[_pixels(each) for each in images], words=words, others=others)
    spec |= dict(weights=weights, boxes=dict(side=len(images[0][0]), of=boxes, about=about))
    hint = "point at a colour, then at “above” or “below”. Then exchange the contexts."
    _display("captions", spec, hint, static, alt, digits=3)


def review(model, token_of, labels, reviews, *, inputs=True, static, alt):
    """A classifier of documents that runs in the page: words and sentences to erase.

    model: the parameters of page 7's `HierarchicalClassifier`, its `state_dict()`, which are sent
    as whole numbers of 8 bits. token_of: a number for each word. labels: the names of the answers.
    reviews: {name: sentences}, tuples of words. inputs: whether states hold their inputs.
    """
    labels, names = _words("labels", labels), _words("reviews", list(reviews))
    documents = [[list(_words(name, each)) for each in reviews[name]] for name in names]
    known = {word for each in documents for sentence in each for word in sentence}
    if unknown := sorted(known - set(token_of)):
        raise ValueError(f"reviews holds {unknown[0]!r}; wanted words of token_of")
    shapes, packed = [], b""
    for name, tensor in model.items():
        rows = tensor.detach().cpu().double().reshape(-1, tensor.shape[-1])
        scale = float(rows.abs().max().clamp(min=1e-12)) / 127
        shapes.append([name, scale, *rows.shape])
        packed += (rows / scale).round().numpy().astype("i1").tobytes()
    spec = dict(reviews=documents, names=names, labels=labels, inputs=inputs)
    spec |= dict(tokens={word: token_of[word] for word in sorted(known)})
    spec |= dict(shapes=shapes, parameters=base64.b64encode(packed).decode())
    hint = (
        "erase “not” in the sentence with the longest bar. Put it back, and erase the whole "
        "sentence by its bar. Then erase what makes another sentence not count."
    )
    _display("review", spec, hint, static, alt, digits=12)


def questions(*, p=0.8, q=0.4, numbers=(1.0, -2.0), static, alt):
    """Two questions about two boxes, answered by one head or by two: their errors sum to 1, or are 0.

    p, q: the weights of the first and the second head on box 1, multiples of 0.05. numbers: what is
    in the boxes. Answers are the best linear functions of what the heads return, for independent
    numbers of mean 0 and variance 1.
    """
    steps = [k / 20 for k in range(21)]
    p, q = _one_of("p", p, steps), _one_of("q", q, steps)
    spec = dict(numbers=_numbers("numbers", list(numbers), (2,)), p=p, q=q)
    hint = (
        "find the weight at which the sum of the errors is smallest. Then take two heads, and bring "
        "their weights close to each other."
    )
    _display("questions", spec, hint, static, alt)


KINDS_OF_HANDS = ["position codes", "a query and a key, turned", "the same, not turned"]


def clocks(query, key, frequencies, *, i=8, j=3, static, alt):
    """Positions as hands of clocks, one pair for each frequency, and the product of all of them.

    query, key: 2 K numbers each, K pairs (sine, cosine). frequencies: K angles in radians for each
    step. i, j: positions from 0 to 60. The hands are the codes of equation (10.1) of the course, or
    a query and a key that are rotated by equation (10.4), or left alone.
    """
    frequencies = _numbers("frequencies", frequencies, (4,))
    query, key = _numbers("query", query, (8,)), _numbers("key", key, (8,))
    i, j = _one_of("i", i, range(61)), _one_of("j", j, range(61))
    spec = dict(query=query, key=key, frequencies=frequencies, i=i, j=j, kinds=KINDS_OF_HANDS)
    hint = (
        "move both positions together. Then change the hands to a query and a key, and move again."
    )
    _display("clocks", spec, hint, static, alt)


def cache(tokens, *, memory=6, step=3, static, alt):
    """Decoding one token at a time in three ways: what each step computes, and what it reads again.

    tokens: the target, 2 to 9 words. memory: how many rows the encoder's output has, 1 to 12. step:
    the first step to show. Counted are the rows that one decoder block's layers receive.
    """
    tokens = _words("tokens", tokens)
    if not 2 <= len(tokens) <= 9:
        raise ValueError(f"tokens holds {len(tokens)} words; wanted 2 to 9")
    memory = _one_of("memory", memory, range(1, 13))
    step = _one_of("step", step, range(1, len(tokens) + 1))
    hint = (
        "go to the last step with everything computed again, then keep the inputs. What does that "
        "save? Then keep the keys and values."
    )
    _display("cache", dict(tokens=tokens, memory=memory, step=step), hint, static, alt)


PARTS = [
    "source embedding",
    "target embedding",
    "positional encoding",
    "encoder self-attention",
    "encoder feed-forward network",
    "encoder norm",
    "memory",
    "causal self-attention",
    "cross-attention",
    "decoder feed-forward network",
    "decoder norm",
    "output layer",
    "residual connection",
]
SIZES = ["D", "H", "F", "N", "src_vocab", "tgt_vocab"]


def transformer(sizes, code, *, part="cross-attention", static, alt):
    """The diagram of the Transformer: parts to press, with their shapes, parameters and code.

    sizes: {name: {"D": 512, "H": 8, "F": 2048, "N": 6, "src_vocab": 37000, "tgt_vocab": 37000}}, the
    models to choose from, pre-norm. code: {part: source text}, of parts that have some. static: the
    name of a drawing in chapters/figures; its groups with the attribute data-part are `PARTS`.
    """
    drawing = _drawing(static)
    drawn = set(re.findall(r'data-part="([^"]*)"', drawing))
    if drawn != set(PARTS):
        wrong = sorted(drawn ^ set(PARTS))[0]
        raise ValueError(f"static is {static!r}, wrong in its part {wrong!r}; wanted {PARTS}")
    if not isinstance(sizes, dict) or not sizes:
        raise TypeError(f"sizes is {sizes!r:.60}; wanted a dict of models")
    for name, model in sizes.items():
        if not isinstance(model, dict) or set(model) != set(SIZES):
            raise ValueError(f"sizes[{name!r}] is {model!r:.60}; wanted a dict of {SIZES}")
        for size, value in model.items():
            _one_of(f"{size} of sizes[{name!r}]", value, range(1, 1_000_000))
        if model["D"] % model["H"]:
            raise ValueError(f"H of sizes[{name!r}] is {model['H']}; wanted a divisor of D")
    if not isinstance(code, dict) or not all(isinstance(each, str) for each in code.values()):
        raise TypeError(f"code is {code!r:.60}; wanted a dict of source texts")
    if unknown := sorted(set(code) - set(PARTS)):
        raise ValueError(f"code has the part {unknown[0]!r}; wanted parts of {PARTS}")
    hint = (
        "before you press: which part has the most parameters? Then find where the two towers "
        "touch, and choose another model."
    )
    drawing = re.sub(r"<(style|title)>.*?</\1>\s*", "", drawing, flags=re.DOTALL)
    spec = dict(sizes=sizes, code=code, parts=PARTS, part=_one_of("part", part, PARTS))
    _display("transformer", spec | {"drawing": drawing}, hint, static, alt)


HINTS = {  # of twins, by whether it is small
    True: "press one change after the other. Which of them turn il and elle?",
    False: (
        "guess before you press: which of the four changes turn il or elle in at least one sentence? "
        "When you have tried them all, combine two."
    ),
}


def twins(pairs, *, small=False, static, alt):
    """What turns il and elle: four changes inside the trained translator, guessed and then tried.

    pairs: 1 to 6 minimal pairs of `utils.data.translation.corpus()`, two sentences each that are
    alike but for one adjective. small: the first pair alone, and nothing to guess.
    """
    pairs, small = _twins(pairs), bool(small)
    spec = dict(pairs=pairs[:1] if small else pairs, small=small)
    _display("twins", spec, HINTS[small], static, alt)


def looks(pairs, *, part="cross", layer=2, head=None, static, alt):
    """Where the trained translator looks, as lines from a row that is chosen; edges can be cut.

    pairs: as for `twins`. part: "encoder", "own" (the decoder looks at what it received) or "cross"
    (at the source). layer: 1 or 2. head: 1 to 4, or None for their mean. They say what is shown first.
    """
    spec = dict(pairs=_twins(pairs), part=_one_of("part", part, ["encoder", "own", "cross"]))
    spec["layer"] = _one_of("layer", layer, [1, 2])
    spec["head"] = "mean of all" if head is None else str(_one_of("head", head, [1, 2, 3, 4]))
    hint = (
        "before you cut: which word does the position that writes il or elle need? Press it among "
        "the keys. Then try the encoder: choose “it” and cut both nouns."
    )
    _display("looks", spec, hint, static, alt)


def sentence(patterns, words, *, static, alt):
    """A sentence of the reader's own, translated by the trained translator as it is chosen or typed.

    patterns: {name: slots}; a slot is a word, or the name of a kind, which becomes a menu. words:
    {kind: words}, or {kind: {group: words}} for a menu in groups.
    """
    for name, given in (("patterns", patterns), ("words", words)):
        if not isinstance(given, dict) or not given:
            raise TypeError(f"{name} is {given!r:.60}; wanted a dict")
    known, kinds, found = _english(), {}, []
    for kind, listed in words.items():
        groups = listed if isinstance(listed, dict) else {"": listed}
        groups = [[group, _words(f"words[{kind!r}]", each)] for group, each in groups.items()]
        _known(f"words[{kind!r}]", [word for _, each in groups for word in each], known)
        if kind in known or not groups:
            fault = "is a word of the vocabulary" if kind in known else "has no words"
            raise ValueError(f"words: {kind!r} {fault}; wanted the name of a kind, with words")
        kinds[kind] = groups
    for name, slots in patterns.items():
        slots = _words(f"patterns[{name!r}]", slots)
        if len(slots) > 24:
            raise ValueError(f"patterns[{name!r}] has {len(slots)} slots; wanted 24 or fewer")
        _known(f"patterns[{name!r}]", [slot for slot in slots if slot not in kinds], known)
        start = []  # the second noun of a sentence is another one, and of another group
        for i, slot in enumerate(slots):
            groups, nth = kinds.get(slot, [["", [slot]]]), slots[:i].count(slot)
            _, each = groups[nth % len(groups)]
            start.append(each[nth // len(groups) % len(each)] if slot in kinds else slot)
        found.append(dict(name=name, slots=slots, start=start))
    hint = (
        "change one word at a time. Which of your changes turn il into elle, and how sure is the "
        "model of each word? Then type a sentence that none of the menus can make."
    )
    _display("sentence", dict(patterns=found, kinds=kinds), hint, static, alt)


def guess(text, start, predictions, letters, *, name="the counts", static, alt):
    """Shannon's game: guess the next character of a text, and see what a model expected there.

    text: a passage, shown up to its character `start`. predictions: (len(text) - start, V)
    probabilities of the next character, one row for each that is hidden. letters: V characters.
    name: of the model, as in "the counts expected". Line breaks needn't be guessed: the hidden part
    has none.
    """
    if not isinstance(text, str) or len(text) < 2:
        raise TypeError(f"text is {text!r:.60}; wanted a passage of 2 characters or more")
    start, hidden = _one_of("start", start, range(1, len(text))), text[start:]
    letters = _words("letters", letters)
    for k, each in enumerate(letters):
        if len(each) != 1 or each in letters[:k]:
            raise ValueError(f"letters[{k}] is {each!r:.40}; wanted characters, each of them once")
    if "\n" in hidden:
        place = start + hidden.index("\n")
        raise ValueError(
            f"text has a line break at {place}, to be guessed; wanted none from {start}"
        )
    if unknown := sorted(set(hidden) - set(letters)):
        raise ValueError(f"text holds {unknown[0]!r} after its start; wanted characters of letters")
    predictions = _numbers("predictions", predictions, (len(hidden), len(letters)))
    steps = []
    for k, (character, row) in enumerate(zip(hidden, predictions)):
        _check_row(f"predictions[{k}]", row, None)
        order = sorted(range(len(row)), key=lambda i: -row[i])  # of equal ones the earlier first
        i = letters.index(character)
        if row[i] < 1e-9:
            raise ValueError(
                f"predictions[{k}] is {row[i]:.3g} for {character!r}; wanted more than 0"
            )
        likely = [[letters[i], _short(row[i])] for i in order[:5]]
        steps.append(dict(top=likely, rank=order.index(i) + 1, p=_short(row[i])))
    spec = dict(text=text, start=start, letters="".join(letters), name=str(name), steps=steps)
    hint = (
        "guess twenty characters. Where in a word are you surer than the bars, and where are they "
        "as good as you?"
    )
    _display("guess", spec, hint, static, alt, digits=12)


def sampling(prompts, letters, logits, temperatures, ks, ps, texts, *, static, alt):
    """How the next token is chosen: a temperature, then the top k, then the nucleus p, then dice.

    prompts: P strings. letters: V tokens. logits: (P, V), used as rounded to 2 decimals.
    temperatures, ks, ps: the stops of the sliders, ascending; ks ends with V and ps with 1, which
    keep all. texts: texts[prompt][temperature][k][p] is a list of R strings, what the model wrote
    with these settings and the first, second, ... throw of the dice.
    """
    prompts, letters = _words("prompts", prompts), _words("letters", letters)
    if len(set(prompts)) < len(prompts):
        raise ValueError("prompts holds one prompt twice; wanted different ones")
    logits = _numbers("logits", logits, (len(prompts), len(letters)))
    temperatures = _stops("temperatures", temperatures)
    ks, ps = _stops("ks", ks, len(letters)), _stops("ps", ps, 1)
    if any(k != int(k) for k in ks):
        raise ValueError(f"ks is {ks}; wanted whole numbers")
    sizes = [len(each) for each in (prompts, temperatures, ks, ps)]
    written = _nested("texts", texts, sizes)
    throws = len(written[0])
    if any(len(each) != throws for each in written):
        raise ValueError(f"texts has lists of different lengths; wanted {throws} strings in each")
    every = [text for each in written for text in each]
    different = {text: k for k, text in enumerate(dict.fromkeys(every))}
    spec = dict(prompts=prompts, letters=letters, logits=_rounded(logits, 2))
    spec |= dict(temperatures=temperatures, ks=ks, ps=ps, throws=throws)
    spec |= dict(temperature=min(temperatures, key=lambda each: abs(each - 1)))
    spec |= dict(texts=list(different), which=[different[text] for text in every])
    hint = (
        "take the highest temperature and throw the dice. Can top-k or the nucleus alone make that "
        "readable again?"
    )
    _display("sampling", spec, hint, static, alt)


def _stops(name, values, last=None):
    """The stops of a slider, and the one at its end."""
    values = _numbers(name, values, (None,))
    if values[0] <= 0 or any(b <= a for a, b in zip(values, values[1:])):
        raise ValueError(f"{name} is {values}; wanted numbers above 0 in ascending order")
    if last and values[-1] != last:
        raise ValueError(f"{name} ends with {values[-1]:g}; wanted {last}, which keeps all")
    return values


def _nested(name, lists, sizes):
    """The innermost lists of strings of nested lists, in order."""
    if not sizes:
        return [_words(name, lists)]
    if not isinstance(lists, (list, tuple)):
        raise TypeError(f"{name} is {lists!r:.40}; wanted a list of {sizes[0]}")
    if len(lists) != sizes[0]:
        raise ValueError(f"{name} has {len(lists)} entries; wanted {sizes[0]}")
    return [w for i, each in enumerate(lists) for w in _nested(f"{name}[{i}]", each, sizes[1:])]


def _short(p):
    """A probability in 4 digits."""
    return float(f"{p:.4g}")


def _english():
    """The English words of the trained translator."""
    content = json.loads((HERE / "data" / "translator.json").read_text(encoding="utf-8"))
    return set(content["english"][3:])  # without those for padding, begin and end


def _known(name, words, known):
    if unknown := [word for word in words if word not in known]:
        raise ValueError(
            f"{name} holds {unknown[0]!r}; wanted words of the translator's vocabulary"
        )


def _twins(pairs):
    """What the script needs of minimal pairs."""
    if not isinstance(pairs, (list, tuple)):
        raise TypeError(f"pairs is {pairs!r:.60}; wanted a list of minimal pairs")
    if not 1 <= len(pairs) <= 6:
        raise ValueError(f"pairs holds {len(pairs)} minimal pairs; wanted 1 to 6")
    found, known = [], _english()
    for k, both in enumerate(pairs):
        name = f"pairs[{k}]"
        if len(both) != 2 or not all(hasattr(pair, "pronouns") for pair in both):
            raise TypeError(f"{name} is {both!r:.60}; wanted two pairs of a corpus")
        sentences = [list(pair.source) for pair in both]
        for words in sentences:
            _known(name, words, known)
        first, second = sentences
        differ = [i for i, (a, b) in enumerate(zip(first, second)) if a != b]
        if len(differ) != 1 or len(first) != len(second):
            raise ValueError(f"{name} differs in {len(differ)} words; wanted one, in one position")
        pronouns = [pair.pronouns[0] if pair.pronouns else None for pair in both]
        if None in pronouns or len({pronoun.source for pronoun in pronouns}) != 1:
            raise ValueError(f"{name} has no pronoun in one position; wanted “it” in both")
        nouns = [pronoun.source_referent for pronoun in pronouns]
        if len({*nouns}) != 2:
            raise ValueError(f"{name} has one noun for both pronouns; wanted two")
        adjectives = " / ".join(words[differ[0]] for words in sentences)
        label = f"{k + 1}. {', '.join(first[i] for i in sorted(nouns))}: {adjectives}"
        about = dict(name=label, sentences=sentences, nouns=nouns)
        found.append(about | {"it": pronouns[0].source, "adjective": differ[0]})
    return found


def _drawing(name):
    """The markup of a drawing of the course."""
    from utils.plot import DIAGRAMS

    if not isinstance(name, str) or not (DIAGRAMS / f"{name}.svg").is_file():
        raise ValueError(
            f"static is {name!r:.60}; wanted the name of a drawing in chapters/figures"
        )
    return (DIAGRAMS / f"{name}.svg").read_text(encoding="utf-8").strip()


def _pixels(image):
    """An image (3, side, side) of numbers from 0 to 1 as the address of a PNG."""
    import numpy as np
    from PIL import Image

    packed = io.BytesIO()
    levels = (np.clip(np.array(image), 0, 1) * 255).round().astype(np.uint8)
    Image.fromarray(levels.transpose(1, 2, 0)).save(packed, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()


# ---------------------------------------------------------------- arguments


def _words(name, words):
    words = list(words) if isinstance(words, (list, tuple)) else words
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise TypeError(f"{name} is {words!r:.60}; wanted a list of words")
    return words


def _number(name, value):
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}; wanted a finite number")
    return float(value)


def _one_of(name, value, choices):
    if isinstance(value, bool) or value not in choices:
        shown = f"{choices[0]} to {choices[-1]}" if isinstance(choices, range) else choices
        raise ValueError(f"{name} is {value!r}; wanted one of {shown}")
    return value


def _numbers(name, values, shape):
    """Nested lists of finite numbers, from a tensor, an array or lists; None is any size."""
    values = values.detach().cpu() if hasattr(values, "detach") else values
    values = values.tolist() if hasattr(values, "tolist") else values
    wanted = "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"

    def walk(part, sizes, place):
        if not sizes:
            if isinstance(part, bool) or not isinstance(part, (int, float)):
                raise TypeError(f"{place} is {part!r:.40}; wanted a number")
            if not math.isfinite(part):
                raise ValueError(f"{place} is {part}; wanted a finite number")
            return float(part)
        if not isinstance(part, (list, tuple)):
            raise TypeError(f"{place} is {part!r:.40}; wanted numbers of shape {wanted}")
        if not part or sizes[0] not in (None, len(part)):
            raise ValueError(f"{place} has {len(part)} entries; wanted numbers of shape {wanted}")
        return [walk(each, sizes[1:], f"{place}[{i}]") for i, each in enumerate(part)]

    found = walk(values, shape, name)
    level = [found]
    for _ in shape:  # all parts of one level have one size
        if len({len(part) for part in level}) > 1:
            raise ValueError(f"{name} has rows of different lengths; wanted shape {wanted}")
        level = [each for part in level for each in part]
    return found


def _masked(mask, shape):
    """For each layer n words of m characters, 1 where a key is masked."""
    import torch

    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        found = mask.dtype if isinstance(mask, torch.Tensor) else type(mask).__name__
        raise TypeError(f"mask is {found}; wanted torch.bool, True = may attend")
    try:
        mask = mask.cpu().expand(shape)
    except RuntimeError:
        sizes = tuple(mask.shape)
        raise ValueError(f"mask has shape {sizes}; wanted one that broadcasts to {shape}") from None
    if not (mask == mask[:, :1]).all():
        raise ValueError("mask differs between heads; wanted the same for all heads of a layer")
    return [["".join("01"[not ok] for ok in row) for row in layer[0].tolist()] for layer in mask]


def _check_row(name, row, shut):
    if min(row) < 0:
        raise ValueError(f"{name} holds {min(row):.3g}; wanted weights, 0 or more")
    open_keys = len(row) if shut is None else shut.count("0")
    total, wanted = sum(row), 1 if open_keys else 0
    if abs(total - wanted) > 1e-3:
        raise ValueError(f"{name} sums to {total:.4g}; wanted {wanted}")
    if shut and any(a > 1e-6 for a, s in zip(row, shut, strict=True) if s == "1"):
        raise ValueError(f"{name} has weight on a masked key; wanted 0 there")


# ---------------------------------------------------------------- the output


def _rounded(value, digits):
    if isinstance(value, list):
        return [_rounded(each, digits) for each in value]
    if isinstance(value, float):
        value = round(value, digits)
        return int(value) if value == int(value) else value
    return value


def _attribute(spec):
    data = json.dumps(spec, separators=(",", ":"), ensure_ascii=False)
    return escape(data, quote=False).replace("'", "&#39;")


def _display(kind, spec, hint, static, alt, digits=5):
    """Display a figure with data and script, and `static` inside it and, a plot, also beside it."""
    from IPython.display import display

    from utils.plot import _sentence, png

    about, beside = {"live": kind}, {}
    if isinstance(static, str):
        svg, alt = _drawing(static), _sentence(alt)
        width = re.search(r'\bwidth="(\d+)"', svg)[1]
        picture = f"svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        about["diagram"] = static
    else:
        data, alt, width = png(static, alt)
        picture, beside = f"png;base64,{data}", {"image/png": data}
    spec = {name: _rounded(value, digits) for name, value in spec.items()}
    spec |= {"hint": hint, "alt": alt}
    image = f'<img alt="{escape(alt)}" width="{width}" src="data:image/{picture}">'
    html = f"<{TAG} kind=\"{kind}\" spec='{_attribute(spec)}'>{image}</{TAG}>"
    if kind in TRANSLATING:
        html += f'<script class="translator">{weights()}</script>'
    html += f"<script>{script(kind)}</script>"
    display(
        {"text/html": html} | beside | {"text/plain": alt},
        metadata={"text/html": {"alt": alt} | about}
        | {name: {"alt": alt, "width": width} for name in beside},
        raw=True,
    )
