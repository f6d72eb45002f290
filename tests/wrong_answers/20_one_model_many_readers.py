# 20.1: gives a little less than half
# in the solution: math.ceil(weights / (m * per_token)) => weights // (m * per_token)
# 20.1: wanted a whole number
# in the solution: math.ceil(weights / (m * per_token)) => weights / (m * per_token)
# 20.1: each text has m tokens
# in the solution: (m * per_token) => per_token
# 20.2: wanted two lists
# in the solution: return lost, twice => return lost
# 20.2: a sound cache: lost is [0, 1, 2, 3]
# in the solution: list(cache.free) => []
# 20.2: twice is []
# in the solution: > 1 => > 2
# 20.2: you have changed cache.free
# in the solution: list(cache.free) => cache.free
# 20.3: a cache that doesn't count its readers is broken
# in the solution: return first and second => return first
# 20.3: a cache that forgets to copy is broken
# in the solution: tell("a", [20]) => pass
# in the solution: return first and second => return True
# 20.3: SharedCache is sound
# in the solution: return first and second => return False
