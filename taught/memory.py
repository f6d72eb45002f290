"""What a call takes in memory, and which of torch's programs it runs."""

import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Watch(TorchDispatchMode):
    """Every operation of torch while it is on: its name, and the memory of what it makes."""

    def __init__(self):
        super().__init__()
        self.names, self.sizes, self.most = [], {}, 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        made = operation(*args, **(kwargs or {}))
        self.names.append(operation.__name__)
        for each in tree_leaves(made):
            if isinstance(each, torch.Tensor):
                memory = each.untyped_storage()
                if id(memory) not in self.sizes:
                    self.sizes[id(memory)] = memory.nbytes()
                    weakref.finalize(memory, self.sizes.pop, id(memory), None)
        self.most = max(self.most, sum(self.sizes.values()))
        return made


def peak_bytes(call, *arguments):
    """The most bytes that the tensors which a call makes take at one time.

    On a GPU, what torch has measured there. Elsewhere the tensors are counted: what a fused
    function needs inside, for a few blocks, isn't among them (`make bench` measures that).
    """
    devices = {each.device.type for each in tree_leaves(arguments) if torch.is_tensor(each)}
    if devices == {"cuda"}:
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call(*arguments)
        return torch.cuda.max_memory_allocated() - before
    with _Watch() as watch:
        call(*arguments)
    return watch.most


def operations(call, *arguments):
    """The names of the operations that a call runs, in torch's own words."""
    with _Watch() as watch:
        call(*arguments)
    return watch.names
