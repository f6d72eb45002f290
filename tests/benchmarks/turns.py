"""What the benchmarks of attention and decoding share: rivals take turns, and ratios are judged.

A ratio is one of neighbours in time, so a machine that becomes slower meanwhile doesn't change it.
"""

from statistics import median
from time import perf_counter


def take_turns(rivals, arguments, turns, rounds=1):
    """How many ms the first rival takes, and how many times as long each of the others does.

    rivals: functions. What counts of a turn is the median of its rounds.
    """
    seconds = [[] for _ in rivals]
    for _ in range(turns):
        for call, its in zip(rivals, seconds, strict=True):
            took = []
            for _ in range(rounds):
                start = perf_counter()
                call(*arguments)
                took.append(perf_counter() - start)
            its.append(median(took))
    first, *others = seconds
    ratios = [median(b / a for a, b in zip(first, other, strict=True)) for other in others]
    return 1e3 * median(first), ratios
