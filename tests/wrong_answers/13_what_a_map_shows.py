# 13.1: singular words are left
def pluralised(words, nouns, plural_of):
    return [plural_of.get(word, word) for word in words]
# 13.1: a noun is not in the plural
def pluralised(words, nouns, plural_of):
    return [{"it": "they", "was": "were"}.get(word, word) for word in words]
# 13.1: wanted four words changed, no others
def pluralised(words, nouns, plural_of):
    words = [{"it": "they", "was": "were"}.get(word, word) for word in words]
    return [plural_of.get(word, word) for word in words][:-4] + ["too", "scared", "."]
