# 21.1: all the numbers are there, in another order
# in the solution: x.permute(0, 3, 1, 4, 2, 5) => x
# 21.1: expected (2, 3, 32, 32)
# in the solution: return x.reshape(B, C, rows * size, columns * size) => return x
# 21.2: the camera's patches still get the positions of ours
# in the solution: other.position.data[order] => other.position.data
# 21.2: this is the inverse
# in the solution: [order] => [order.argsort()]
# 21.2: you have changed the block itself
# in the solution: copy.deepcopy(filler) => filler
# 21.3: the patches are off by one
# in the solution: 0, 1:] => 0, :-1]
# 21.3: True means: may look
# in the solution: ~cut => cut
# 21.3: patches must see each other
# in the solution: mask[:, 0, 1:] = ~cut => mask[:, :, 1:] = ~cut[:, None]
# 21.3: expected a bool mask
# in the solution: dtype=torch.bool => dtype=torch.long
# 21.4: two positions have the same vector
# in the solution: torch.cat([by_row, by_column], dim=1) => torch.cat([by_row + by_column, by_row + by_column], dim=1)
# 21.4: when both positions move by one row and column
# in the solution: angles.cos() => angles.cos() * places[:, None]
# 21.4: expected (15, 16)
# in the solution: torch.arange(D // 4) => torch.arange(D // 2)
