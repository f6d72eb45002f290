"""What pages keep for later pages: the definitions of their cells tagged `keep`.

Written by `make pages`. Not edited by hand: a change belongs in the page named above the
definition.
"""

# fmt: off

import re
import sys
import unicodedata
from itertools import pairwise

import torch
from torch import nn

from data.smollm_file import read
from taught import checks
from taught.attention import MultiHeadAttention, rotate
from taught.language_model import Cache
from taught.transformer import RMSNorm, SwiGLU

# chapters/16_a_real_model.ipynb


def chat(
    turns,
    system="You are a helpful AI assistant named SmolLM, trained by Hugging Face",
):
    """A conversation, the texts of both in turn, up to the model's next answer."""
    text = f"<|im_start|>system\n{system}<|im_end|>\n"
    for i, turn in enumerate(turns):
        speaker = "user" if i % 2 == 0 else "assistant"
        text += f"<|im_start|>{speaker}\n{turn}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


def answer(model, tokenizer, text, longest=60):
    """What the model writes by greedy decoding until it ends its turn."""
    unread = torch.tensor([tokenizer.encode(text)])  # (1, n)
    unread = unread.to(model.embedding.weight.device)
    cache = Cache()
    written = []
    for _ in range(longest):
        logits = model(unread, cache)[:, -1]  # (1, V)
        new = logits.argmax(dim=-1, keepdim=True)  # (1, 1)
        if tokenizer.tokens[new.item()] == "<|im_end|>":
            break
        written.append(new.item())
        unread = new
    return tokenizer.decode(written)


class GroupedQueryAttention(MultiHeadAttention):
    """Self-attention in which groups of heads share keys and values, with RoPE."""

    def __init__(self, d_model, num_heads, num_groups, base=10_000):
        super().__init__(d_model, num_heads, bias=False)
        checks.groups(d_model, num_heads, num_groups)
        self.d = d_model // num_heads
        self.share = num_heads // num_groups  # this many heads share one key
        self.base = base
        if num_groups < num_heads:  # fewer keys and values
            self.W_k = nn.Linear(d_model, num_groups * self.d, bias=False)
            self.W_v = nn.Linear(d_model, num_groups * self.d, bias=False)

    def split(self, x):
        B, n, width = x.shape
        heads = width // self.d  # H for queries, G for keys and values
        x = x.view(B, n, heads, self.d)  # (B, n, heads, d)
        return x.transpose(1, 2)  # (B, heads, n, d)

    def forward(self, x, offset=0, mask=None, cache=None):
        """x is (B, n, D), and so is the output; its first row is at offset."""
        checks.grouped(self, x, mask, cache)
        q = self.split(self.W_q(x))  # (B, H, n, d)
        k = self.split(self.W_k(x))  # (B, G, n, d)
        v = self.split(self.W_v(x))  # (B, G, n, d)
        q = rotate(q, offset, self.base)
        k = rotate(k, offset, self.base)
        if cache is not None:
            k, v = cache.update(self, k, v)  # all so far, (B, G, m, d)
        k = k.repeat_interleave(self.share, dim=1)  # (B, H, m, d)
        v = v.repeat_interleave(self.share, dim=1)  # (B, H, m, d)
        return self.attend(q, k, v, mask)  # (B, n, D)


class LlamaBlock(nn.Module):
    """Grouped-query attention, then a gated network, each with a residual."""

    def __init__(self, d_model, num_heads, num_groups, d_hidden, base, eps):
        super().__init__()
        self.norm1 = RMSNorm(d_model, eps)
        # New: the attention, and a network with a gate.
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups, base)
        self.norm2 = RMSNorm(d_model, eps)
        self.ffn = SwiGLU(d_model, d_hidden)

    def forward(self, x, offset=0, mask=None, cache=None):
        y = self.norm1(x)
        x = x + self.attention(y, offset, mask, cache)
        y = self.norm2(x)
        x = x + self.ffn(y)
        return x


class Llama(nn.Module):
    """A language model as in Llama: tokens in, logits of the next ones out."""

    def __init__(
        self,
        vocab,
        d_model,
        num_heads,
        num_groups,
        num_layers,
        d_hidden,
        base=10_000,
        eps=1e-5,
    ):
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(num_layers):
            block = LlamaBlock(d_model, num_heads, num_groups, d_hidden, base, eps)
            self.blocks.append(block)
        self.norm = RMSNorm(d_model, eps)

    @checks.all_or_nothing  # a call that fails leaves the cache as it was
    def forward(self, tokens, cache=None):
        """Logits (B, n, V); with a cache, tokens (B, n) are what is new to it."""
        checks.reading(tokens, self.embedding, cache, self.blocks)
        if cache is None:
            cache = Cache()  # a text from its beginning
        offset, mask = cache.begin(tokens.shape[1], tokens.device)
        x = self.embedding(tokens)  # (B, n, D), new: no positions are added
        for block in self.blocks:
            x = block(x, offset, mask, cache)
        x = self.norm(x)  # (B, n, D)
        return x @ self.embedding.weight.T  # (B, n, V), new: the same table


def course_weights(tensors):
    """The tensors of a file by the names of this page: a state dict."""
    names = {
        "token_embd": "embedding.weight",
        "attn_norm": "norm1.gamma",
        "attn_q": "attention.W_q.weight",
        "attn_k": "attention.W_k.weight",
        "attn_v": "attention.W_v.weight",
        "attn_output": "attention.W_o.weight",
        "ffn_norm": "norm2.gamma",
        "ffn_up": "ffn.W_1.weight",
        "ffn_gate": "ffn.W_g.weight",
        "ffn_down": "ffn.W_2.weight",
        "output_norm": "norm.gamma",
    }
    state = {}
    for name, stored in tensors.items():  # such as "blk.3.attn_q.weight"
        pieces = name.split(".")
        part = pieces[-2]
        weight = dequantize(stored)
        # The file is for programs that rotate each pair in the direction opposite to
        # `rotate`, so its rows 0, 1, 2, 3, ... become 1, 0, 3, 2, ...
        if part in ("attn_q", "attn_k"):
            pairs = weight.unflatten(0, (-1, 2))
            weight = pairs.flip(1).flatten(0, 1)
        if pieces[0] == "blk":
            state[f"blocks.{pieces[1]}.{names[part]}"] = weight
        else:
            state[names[part]] = weight
    return state


def load(path):
    """A file's language model, a `Llama` without gradients, and its `Tokenizer`.

    Raises `ValueError` for a file of another architecture, or with more parts.
    """
    facts, tensors = read(path)
    checks.llama_file(facts, tensors)
    with torch.device("meta"):  # the numbers come from the file
        model = Llama(
            vocab=facts["llama.vocab_size"],
            d_model=facts["llama.embedding_length"],
            num_heads=facts["llama.attention.head_count"],
            num_groups=facts["llama.attention.head_count_kv"],
            num_layers=facts["llama.block_count"],
            d_hidden=facts["llama.feed_forward_length"],
            base=facts["llama.rope.freq_base"],
            eps=facts["llama.attention.layer_norm_rms_epsilon"],
        )
    weights = course_weights(tensors)
    model.load_state_dict(weights, assign=True)  # these very tensors
    model.eval().requires_grad_(False)
    tokens = facts["tokenizer.ggml.tokens"]
    merges = facts["tokenizer.ggml.merges"]
    kinds = facts["tokenizer.ggml.token_type"]
    special = [token for token, kind in zip(tokens, kinds) if kind == 3]  # special
    return model, Tokenizer(tokens, merges, special)


def from_4_bits(blocks):
    """Blocks in Q4_1, uint8 (count, 20), as float32 (count, 32), by (16.4)."""
    # Two bytes are one number in 16 bits: first the step, then the minimum.
    step = blocks[:, 0:2].view(torch.float16).float()  # (count, 1)
    minimum = blocks[:, 2:4].view(torch.float16).float()  # (count, 1)
    packed = blocks[:, 4:20]  # (count, 16): two values in each byte
    first = packed % 16  # its lower four bits
    second = packed // 16  # its upper four bits
    q = torch.cat([first, second], dim=1)  # (count, 32): whole numbers, 0 to 15
    return minimum + step * q


def from_8_bits(blocks):
    """Blocks in Q8_0, uint8 (count, 34), as numbers, float32 (count, 32)."""
    step = blocks[:, 0:2].view(torch.float16).float()  # (count, 1)
    q = blocks[:, 2:34].view(torch.int8)  # (count, 32): whole numbers, -128 to 127
    return step * q


def dequantize(stored):
    """A tensor as `read` returns it, as float32 numbers in its shape."""
    if stored.kind == "Q4_1":
        return from_4_bits(stored.raw).reshape(stored.shape)
    if stored.kind == "Q8_0":
        return from_8_bits(stored.raw).reshape(stored.shape)
    return stored.raw  # F32: numbers already


def word_pattern():
    """The regular expression of the pieces inside which bytes are merged."""
    every = [chr(i) for i in range(sys.maxunicode + 1)]
    digits = "".join(c for c in every if unicodedata.category(c).startswith("N"))
    # Python counts the characters 28 to 31 as spaces, and Unicode doesn't.
    spaces = "".join(c for c in every if c.isspace() and c not in "\x1c\x1d\x1e\x1f")
    # Endings such as 's; a digit; letters or other signs with the space before them; spaces.
    return re.compile(
        rf"'(?:[stmd]|re|ve|ll)|[{digits}]| ?[^\W_{digits}]+| ?(?:[^\w{spaces}]|_)+"
        rf"|[{spaces}]+(?![^{spaces}{digits}])|[{spaces}]+"
    )


def byte_signs():
    """The character that stands for each of the 256 bytes, as in GPT-2: {byte: character}."""
    signs = {}
    spare = 256  # characters from here on stand for bytes that can't be printed
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte <= 255:
            signs[byte] = chr(byte)
        else:
            signs[byte] = chr(spare)
            spare += 1
    return signs


class Tokenizer:
    """Byte-pair encoding of bytes, written as `byte_signs` has them."""

    def __init__(self, tokens, merges, special):
        self.tokens = tokens
        self.number = {token: i for i, token in enumerate(tokens)}
        self.rank = {tuple(merge.split(" ")): i for i, merge in enumerate(merges)}
        self.signs = byte_signs()
        self.bytes = {sign: byte for byte, sign in self.signs.items()}
        # The longest first; (?!) is found nowhere, an empty text everywhere.
        longest_first = sorted(filter(None, special), key=len, reverse=True)
        special = "|".join(map(re.escape, longest_first)) or "(?!)"
        self.special = re.compile(f"({special})")
        self.word = word_pattern()

    def parts(self, word):
        """The tokens of one word: its bytes, joined by the merges, oldest first."""
        pieces = []
        for byte in word.encode():
            if self.signs[byte] in self.number:  # a few bytes have no token
                pieces.append(self.signs[byte])
        while True:
            candidates = [pair for pair in pairwise(pieces) if pair in self.rank]
            if not candidates:
                return [self.number[piece] for piece in pieces]
            earliest = min(candidates, key=self.rank.get)  # the merge learned first
            joined = []
            for piece in pieces:
                if joined and (joined[-1], piece) == earliest:
                    joined[-1] += piece
                else:
                    joined.append(piece)
            pieces = joined

    def encode(self, text):
        """Returns the tokens of a text, a list of numbers."""
        tokens = []
        for piece in self.special.split(text):
            if self.special.fullmatch(piece):
                tokens.append(self.number[piece])
            else:
                for word in self.word.findall(piece):
                    tokens += self.parts(word)
        return tokens

    def decode(self, tokens):
        """Returns the text of tokens, with � for bytes that are no character."""
        data = b""
        for text in [self.tokens[token] for token in tokens]:
            if self.special.fullmatch(text) or not set(text) <= self.bytes.keys():
                data += text.encode()  # a special token stands for itself
            else:
                data += bytes(self.bytes[sign] for sign in text)
        return data.decode(errors="replace")
