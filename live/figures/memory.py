from live.arguments import one_of
from live.bundle import display

BITS = [4, 8, 16, 32]
WINDOWS = [128, 256, 512, 1024, 2048, 4096]
LATENTS = range(64, 1025, 64)
LENGTHS = [2**k for k in range(8, 21)]
LONGEST = 15  # characters of a name, which is written beside its curve


def memory(models, *, start="SmolLM2 135M", length=8192, bits=16, static, alt):
    """What the key-value cache of a language model needs, by its design and the length of a text.

    models: {name: dict(heads, groups, width, latent, rotary, full, windowed, window)}, 2 to 9 of
    them; what isn't named is 0, and groups as many as heads. `heads` heads share the keys and
    values of `groups`, `width` numbers each; or, unless latent is 0, a layer keeps latent + rotary
    numbers. `full` layers keep every token, `windowed` ones the last `window`; layers with a state
    of fixed size don't count. start, length, bits: what is shown first, and the bits a number of
    the grey curves. GB are 10^9 bytes, GiB 2^30.
    """
    if not isinstance(models, dict) or not 2 <= len(models) <= 9:
        raise TypeError(f"models is {models!r:.60}; wanted a dict of 2 to 9 models")
    models = {name: checked(name, model) for name, model in models.items()}
    spec = dict(models=models, model=one_of("start", start, list(models)), windows=WINDOWS)
    spec |= dict(n=one_of("length", length, LENGTHS), bits=one_of("bits", bits, BITS))
    hint = (
        "make the text longer until it needs more than 8 GB. Which single change brings it back "
        "below that line? And which change bends the curve?"
    )
    display("memory", spec, hint, static, alt)


def checked(name, model):
    """A model for the script: no groups are latent attention, and what a model doesn't have is what
    a reader who wants it begins with, a latent vector of four heads' width, for example."""
    if not isinstance(name, str) or not 1 <= len(name) <= LONGEST:
        raise ValueError(f"models has the name {name!r}; wanted 1 to {LONGEST} characters")
    if not isinstance(model, dict) or not {"heads", "width"} <= {*model}:
        raise TypeError(f"models[{name!r}] is {model!r:.60}; wanted a dict with heads, width, ...")
    none = dict.fromkeys(["latent", "rotary", "full", "windowed", "window"], 0)
    model = {"groups": model["heads"]} | none | model
    heads = one_of(f"models[{name!r}]['heads']", model["heads"], range(2, 257))
    choices = dict(heads=[heads], groups=[g for g in range(1, heads + 1) if heads % g == 0])
    choices |= dict(width=range(1, 1025), latent=[0, *LATENTS], rotary=[0, 32, 64])
    choices |= dict(full=range(257), windowed=range(257))
    choices["window"] = WINDOWS if model["windowed"] else [0, *WINDOWS]
    if {*model} != {*choices}:
        raise ValueError(f"models[{name!r}] has {[*model]}; wanted {[*choices]}")
    for key, allowed in choices.items():
        model[key] = int(one_of(f"models[{name!r}][{key!r}]", model[key], allowed))
    width, latent, layers = model["width"], model["latent"], model["full"] + model["windowed"]
    if not layers:
        raise ValueError(f"models[{name!r}] has no layers; wanted full or windowed above 0")
    return dict(
        heads=heads,
        width=width,
        layers=layers,
        groups=0 if latent else model["groups"],
        latent=latent or min(max(width // 16, 1), 16) * 64,
        rotary=model["rotary"] if latent else 32 if width < 128 else 64,
        windowed=model["windowed"],
        window=model["window"] or 1024,
    )
