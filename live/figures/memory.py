"""What the figure `memory` needs of the designs of models."""


def spec(models, mixed, *, start="SmolLM2 135M", length=8192, bits=16):
    """models: {name: dict(heads, groups, width, latent, rotary, full, windowed, window)}; what isn't
    named is 0, and groups as many as heads. `heads` heads share the keys and values of `groups`, `width`
    numbers each; or, unless latent is 0, a layer keeps latent + rotary numbers. `full` layers keep every
    token, `windowed` ones the last `window`. mixed: {name: dict(layers)}, for each kind of layer how many,
    the numbers that they keep, of how many of the last tokens, and for every how many once."""
    models = {name: completed(**model) for name, model in models.items()}
    mixed = {name: model["layers"] for name, model in mixed.items()}
    return dict(models=models, mixed=mixed, model=start, n=length, bits=bits)


def completed(heads, width, groups=0, latent=0, rotary=0, full=0, windowed=0, window=0, how=""):
    """A model for the script: no groups are latent attention, and what a model doesn't have is what
    a reader who wants it begins with, a latent vector of four heads' width, for example."""
    return dict(
        heads=heads,
        width=width,
        layers=full + windowed,
        groups=0 if latent else groups or heads,
        latent=latent or min(max(width // 16, 1), 16) * 64,
        rotary=rotary if latent else 32 if width < 128 else 64,
        windowed=windowed,
        window=window or 1024,
    )
