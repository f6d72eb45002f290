from live.bundle import display

LONGEST = 64  # characters, as many as the model reads


def sampling(begin, temperatures, ks, ps, *, bits, static, alt):
    """The trained letter model writes: a temperature, then the top k, then the nucleus p, then dice.

    begin: a beginning, which readers can replace by their own. temperatures, ks, ps: the stops of
    the sliders, ascending; ks ends with the number of letters and ps with 1, which keep all. bits:
    what the model needs for each character of a new chapter. Its weights are in
    corpora/letters.json; `trained_letters` has the same.
    """
    spec = dict(begin=begin, temperatures=temperatures, ks=ks, ps=ps)
    spec |= dict(temperature=min(temperatures, key=lambda each: abs(each - 1)))
    spec |= dict(bits=round(bits, 2), longest=LONGEST)
    hint = (
        "write at the lowest temperature, then at the highest. Can top-k or the nucleus alone make "
        "that readable again?"
    )
    display("sampling", spec, hint, static, alt)
