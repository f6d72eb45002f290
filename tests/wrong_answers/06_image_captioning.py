# 6.3: are correct, and 99 % are asked for
def relation_from_looks(looks, relations, new_looks):
    return linear_layer(looks.flatten(1), relations, new_looks.flatten(1))
# 6.3: above and below are exchanged
def relation_from_looks(looks, relations, new_looks):
    up = new_looks[:, 1, -1] - new_looks[:, 0, -1]
    return torch.where(up.abs() < 1.2, 0, torch.where(up > 0, 2, 1))
# 6.3: expected a tensor of 500 classes
def relation_from_looks(looks, relations, new_looks): return nn.Linear(132, 3)(new_looks.flatten(1))
# 6.1: the second glimpse falls on the first cell again
# in the solution: glimpse(W @ context => glimpse(query
# 6.1: the context should be the second sum
# in the solution: context, second => _, second
# 6.1: the first glimpse falls on the wrong cell
# in the solution: keys @ query => -keys @ query
# 6.1: is W used?
# in the solution: W @ context => context[: len(query)]
# 6.1: a divisor?
# in the solution: keys @ query => keys @ query / len(query) ** 0.5
# 6.1: the weights have shape (6,)
# in the solution: torch.stack([first, second]) => second
# 6.2: you changed the images
# in the solution: images = images.clone() =>
# 6.2: rows and columns are exchanged
# in the solution: top:bottom, left:right => left:right, top:bottom
# 6.2: one row and one column too many
# in the solution: top:bottom, left:right => top:bottom + 1, left:right + 1
# 6.2: not the median of each channel
# in the solution: image.flatten(1).median(dim=1).values => image.median().expand(3)
# 6.2: other pixels are changed
def erased(images, boxes): return images * 0
# 6.2: expected a tensor of the shape of images
def erased(images, boxes): return images[0]
