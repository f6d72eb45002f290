"""Which device the pages compute on."""

import os

import torch


def get_device():
    """Return the `torch.device` to compute on: CUDA if there is one, else Apple's MPS, else the CPU.

    The environment variable `ATTENTION_DEVICE` overrides the choice: `cpu`, `mps`, `cuda`,
    or `cuda:1` for the second GPU.

    Raises `ValueError`, naming the choices there are, when `ATTENTION_DEVICE` names a device
    that is unknown or not available.
    """
    available = []
    if torch.cuda.is_available():
        available += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        available.append("mps")
    available.append("cpu")
    name = os.environ.get("ATTENTION_DEVICE", "").strip() or available[0]
    if name not in available:
        raise ValueError(
            f"ATTENTION_DEVICE is {name!r}; the devices available here are {', '.join(available)}"
        )
    return torch.device(name)
