# 23.2: your patient is healthy
def patient(queries, keys, values, mask=None): return formula(queries, keys, values, mask)
# 23.2: complaints: masked keys have a weight
def patient(queries, keys, values, mask=None): return formula(queries, keys, values)
# 23.2: everybody would notice
def patient(queries, keys, values, mask=None):
    return formula(queries, keys, values, mask) + 0 * keys
# 23.3: a sound attention, scaled_dot_product_attention, gets
def instrument(attention): return "it's ill"
# 23.3: the patient gets no complaint
def instrument(attention):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 5, 8)
    expected = F.scaled_dot_product_attention(q, k, v)
    return "" if same(attention(q, k, v), expected) else "another output"
# 23.1: still changes with the padding
# in the solution: x.abs() => (x + positions[: x.shape[1]]).abs()
# 23.1: attention with the positions added
# in the solution: x = x + positions[: x.shape[1]] =>
