# 6.1: are correct, and 99 % are asked for
def relation_from_looks(looks, relations, new_looks):
    return linear_layer(looks.flatten(1), relations, new_looks.flatten(1))
# 6.1: are correct, and 99 % are asked for
def relation_from_looks(looks, relations, new_looks):
    return linear_layer(looks[:, 1], relations, new_looks[:, 1])
# 6.1: above and below are exchanged
def relation_from_looks(looks, relations, new_looks):
    up = new_looks[:, 1, -1] - new_looks[:, 0, -1]
    return torch.where(up.abs() < 1.2, 0, torch.where(up > 0, 2, 1))
# 6.1: expected a tensor of 500 classes
def relation_from_looks(looks, relations, new_looks):
    layer = nn.Linear(132, 3)
    return layer(new_looks.flatten(1))
# 6.1: expected a tensor of 500 classes
def relation_from_looks(looks, relations, new_looks): return relations
# 6.2: the second glimpse falls on the first cell again
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query, dim=0)
    return a @ X, torch.stack([a, a])
# 6.2: the context should be the second sum
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query, dim=0)
    b = torch.softmax(keys @ (W @ (a @ X)), dim=0)
    return a @ X, torch.stack([a, b])
# 6.2: the first glimpse falls on the wrong cell
def two_glimpses(query, X, keys, W):
    a = torch.softmax(-keys @ query, dim=0)
    return a @ X, torch.stack([a, a])
# 6.2: is W used?
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query, dim=0)
    b = torch.softmax(keys @ (a @ X)[: len(query)], dim=0)
    return b @ X, torch.stack([a, b])
# 6.2: a divisor?
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query / len(query) ** 0.5, dim=0)
    b = torch.softmax(keys @ (W @ (a @ X)) / len(query) ** 0.5, dim=0)
    return b @ X, torch.stack([a, b])
# 6.2: the weights have shape (6,)
def two_glimpses(query, X, keys, W):
    a = torch.softmax(keys @ query, dim=0)
    return a @ X, a
# 6.3: you changed the images
def erased(images, boxes):
    for image, (left, top, right, bottom) in zip(images, boxes.tolist()):
        image[:, top:bottom, left:right] = 0
    return images
# 6.3: rows and columns are exchanged
def erased(images, boxes):
    images = images.clone()
    for image, (left, top, right, bottom) in zip(images, boxes.tolist()):
        image[:, left:right, top:bottom] = image.flatten(1).median(dim=1).values[:, None, None]
    return images
# 6.3: one row and one column too many
def erased(images, boxes):
    images = images.clone()
    for image, (left, top, right, bottom) in zip(images, boxes.tolist()):
        image[:, top:bottom + 1, left:right + 1] = image.flatten(1).median(dim=1).values[:, None, None]
    return images
# 6.3: not the median of each channel
def erased(images, boxes):
    images = images.clone()
    for image, (left, top, right, bottom) in zip(images, boxes.tolist()):
        image[:, top:bottom, left:right] = image.median()
    return images
# 6.3: other pixels are changed
def erased(images, boxes): return images * 0
# 6.3: expected a tensor of the shape of images
def erased(images, boxes): return images[0]
