"""What a call takes in memory, and which of torch's programs it runs."""

import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Watch(TorchDispatchMode):
    """Every operation of torch while it is on: its name, and the memory of what it makes.

    Memory that is first seen as what an operation is given was there before the call: arguments,
    weights, what a view looks at. It counts only by what it grows.
    """

    def __init__(self):
        super().__init__()
        self.names, self.before, self.sizes, self.most = [], {}, {}, 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        self.see((args, kwargs), given=True)
        result = operation(*args, **kwargs)
        self.names.append(operation.__name__)
        self.see((args, kwargs, result), given=False)
        self.most = max(self.most, sum(self.sizes.values()))
        return result

    def see(self, tensors, given):
        for tensor in tree_leaves(tensors):
            if isinstance(tensor, torch.Tensor):
                memory = tensor.untyped_storage()
                place, size = id(memory), memory.nbytes()
                if place not in self.before:
                    self.before[place] = size if given else 0
                    weakref.finalize(memory, self.forget, place)
                self.sizes[place] = max(size - self.before[place], 0)

    def forget(self, place):
        """This memory is free, and another may get its place."""
        del self.before[place], self.sizes[place]


def peak_bytes(call, *arguments):
    """The most bytes that the tensors which a call makes take at one time.

    What was there before isn't counted, nor is a view of it. On a GPU, what torch has measured on
    that of the arguments. Elsewhere the tensors are counted: what a fused function needs inside,
    for a few blocks, isn't among them.
    """
    devices = {argument.device for argument in tree_leaves(arguments) if torch.is_tensor(argument)}
    if len(devices) == 1 and (device := devices.pop()).type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        call(*arguments)
        return torch.cuda.max_memory_allocated(device) - before
    with _Watch() as watch:
        call(*arguments)
    return watch.most


def operations(call, *arguments):
    """The names of the operations that a call runs, in torch's own words."""
    with _Watch() as watch:
        call(*arguments)
    return watch.names
