FIVE = [[18, 6], [17, 3], [17, 5], [17, 4], [18, 7]]  # block and head: the induction heads
OTHERS = [[17, 6], [17, 8], [17, 0], [18, 2], [18, 4]]  # as many others of these blocks


def spec(sentences):
    return dict(sentences=sentences, five=FIVE, others=OTHERS)
