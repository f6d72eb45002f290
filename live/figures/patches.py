"""What the figure `patches` needs of some scenes."""

import base64

import numpy as np

N = 64  # patches, 8 x 8, of 4 x 4 pixels


def spec(images, hidden, order, hole):
    """images: (scenes, 3, 32, 32), numbers from 0 to 1. hidden: the patches that are holes at the start.
    order: a permutation of the 64 patches. hole: the one of them whose weights are shown first.
    """
    levels = (np.clip(np.asarray(images), 0, 1) * 255).round().astype(np.uint8)
    patches = levels.reshape(-1, 3, 8, 4, 8, 4).transpose(0, 2, 4, 1, 3, 5)
    scenes = [base64.b64encode(scene.tobytes()).decode() for scene in patches]
    return dict(scenes=scenes, hidden=hidden, order=order, hole=hole)
