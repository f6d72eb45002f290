from live.bundle import display
from live.translating import patterns as patterns_of_training


def sentence(patterns, words, *, static, alt):
    """A sentence of the reader's own, translated by the trained translator as it is chosen or typed.

    patterns: {name: slots}; a slot is a word, or the name of a kind, which becomes a menu. words:
    {kind: words}, or {kind: {group: words}} for a menu in groups.
    """
    found = []
    kinds = {
        kind: [
            list(each) for each in (listed if isinstance(listed, dict) else {"": listed}).items()
        ]
        for kind, listed in words.items()
    }
    for name, slots in patterns.items():
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
    spec = dict(patterns=found, kinds=kinds, known=patterns_of_training())
    display("sentence", spec, hint, static, alt)
