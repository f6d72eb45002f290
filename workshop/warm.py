"""A Python that has imported what each page imports, and forks a kernel from it for each page.

A kernel of its own takes some four seconds of a processor for its imports, 24 times in a run of all
pages. The parent asks for a kernel through a small program (`ASK`), which ends with it, hands on its
interrupts, and takes it along when it is killed. `workshop/colab.py` starts both, where there is `fork`.
"""

import json
import os
import random
import selectors
import signal
import socket
import sys
from importlib import import_module

ASK = """
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    signal.signal(signal.SIGINT, lambda *_: line.send(b"i"))
    order = {"file": sys.argv[2], "folder": os.getcwd(), "environment": dict(os.environ)}
    line.sendall(json.dumps(order).encode() + b"\\n")
    line.recv(1)
"""


def kernel(file, folder, environment):
    """Become a kernel, as `python -m ipykernel_launcher -f file` would be one."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    random.seed()
    sys.argv[:] = ["ipykernel_launcher", "-f", file]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


def serve(path):
    """Fork a kernel for each who asks, until the program that started this one is gone."""
    with socket.socket(socket.AF_UNIX) as door, selectors.DefaultSelector() as waiting:
        door.bind(path)
        door.listen()
        waiting.register(door, selectors.EVENT_READ)
        waiting.register(sys.stdin, selectors.EVENT_READ)
        print("ready", flush=True)
        children = {}  # what has asked -> the kernel's process
        while True:
            for key, _ in waiting.select(timeout=0.2):
                if key.fileobj is sys.stdin:
                    return
                if not (asker := key.data):
                    asker, _ = door.accept()
                    order = json.loads(asker.makefile().readline())
                    if not (child := os.fork()):
                        return order
                    children[asker] = child
                    waiting.register(asker, selectors.EVENT_READ, asker)
                    continue
                sign = signal.SIGINT if asker.recv(1) == b"i" else signal.SIGKILL
                os.kill(children[asker], sign)
            for asker, child in [*children.items()]:
                if os.waitpid(child, os.WNOHANG)[0]:
                    waiting.unregister(asker)
                    asker.close()
                    del children[asker]


if __name__ == "__main__":
    for name in ("ipykernel.kernelapp", "seaborn", "torch", "torch._dynamo"):  # an optimizer's
        import_module(name)
    if order := serve(sys.argv[1]):
        kernel(**order)
