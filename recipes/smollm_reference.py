"""What the real model is held against: the same model in other people's code.

It builds the model from its file with transformers, the tokenizer with tokenizers, and writes what
they say of a few texts and strings to `data/smollm_reference.json`. None of that code is a
requirement of the course, so give it an environment of its own:

    python -m pip install torch==2.13.0 transformers tokenizers gguf -r requirements.txt
    python -m workshop measure smollm_reference

Another machine adds in another order: its logits may differ in the last of their four decimals.
"""

import json
import sys
from importlib import import_module

import torch

from data.text import alice
from workshop.page import ROOT

FILE = ROOT / "data" / "smollm_reference.json"
LIKELIEST = 10  # tokens with the largest logits
FIXED = (0, 2, 17, 198, 253, 1000, 5000, 12345, 30000, 49151)  # tokens that are always there
POSITIONS = 6  # of each text, the last among them
SPECIAL = 3  # the type of a token that is no text, in a GGUF file

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
TEXTS = (
    "The capital of France is",
    f"<|im_start|>system\n{SYSTEM}<|im_end|>\n"
    "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
    alice()[1][:240],
    "def mean(values):\n"
    '    """The mean of a list that isn\'t empty."""\n'
    "    total = 0.0\n"
    "    for value in values:\n"
    "        total += value\n"
    "    return total / len(values)\n",
    "Café crème, s'il vous plaît! Größe: 3½ m. 你好,世界。 ¿Qué tal? 🐇 ran at 42 km/h.",
)
STRINGS = (
    *("", " ", "  ", "a", "Hello world", " Hello  world ", "Hello,world!?", "(a+b)*c"),
    *("naïve café", "cafe\u0301 a\u0308o\u0308 e\u0301\u0302", "ÀÉÎÕÜ ßſ ŁŻ", "你好,世界"),
    *("日本語のテキスト", "한국어 문장", "😀 😀😀", "👩\u200d👩\u200d👧\u200d👦 and 👍🏽"),
    *("🇫🇷🇩🇪 ❤\ufe0f", "🏴\U000e0067\U000e0062", "1234567890", "x = 3.14", "in 2024, 5 of 7"),
    *("10² m³ H₂O", "Ⅷ and ⅷ", "½ 3¾ ①", "٣٤ ३४ 三", "a1b2c3", " 7", "   7", "   seven"),
    *("      x  =  1", "end   ", "\u00a0 a\u00a0b  \u00a0c", "snake_case_name"),
    *("__init__ _x_ x_", "_", " _ ", "a _b", "3_000", "\n", "a\nb\n\nc\n\n\n"),
    *("a\r\nb\r\n\r\nc\rd", "a \n b  \n  c", "\u2028line\u2029par\x85next\x0bv\x0cf", "\t"),
    *("\ta\t\tb \tc", "it's we'll I'd you've they're I'm can't", "IT'S WE'LL", "it’s we’ll"),
    *("'s 'll 'tis ' s", "<|im_start|>user\nHi<|im_end|>", "a<|endoftext|>b"),
    *(" <|im_end|> <|im_end|>", "<|im_end>", "<repo_name>x<file_sep> <|IM_END|>"),
    *("مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดี", "שָׁלוֹם", "Привет, мир", "a\u200bb \u200b c"),
    *("\ufeffa\u00ad\u2060b", "\u3000full\u3000width\u2003em", "\x01\x02\x03 \x7f"),
    *("\x00a\x08", "a\x04b <\x16= c", "\U00050000", "a\U00050000b \U000a1234", "𝕏 𐍈 𓀀"),
    *("\ufffd\ue000\uffff", "https://example.org/a_b?x=1&y=%20#top"),
    *("for (int i=0; i<10; ++i) { s[i] = '\\0'; }", "    return x[:, None] @ W.mT  # (n, d)"),
    *("$\\frac{1}{\\sqrt{d}}$", "aaaaaaaaaaaaaaaaaaaaaaaa"),
)


def fact(reader, name):
    """A fact of the file: a number, a string or a list."""
    return reader.fields[name].contents()


def tensors(reader):
    """The tensors of the file in float32, by name."""
    dequantize = import_module("gguf").dequantize
    return {
        tensor.name: torch.tensor(dequantize(tensor.data, tensor.tensor_type))
        for tensor in reader.tensors
    }


def halves(weight, heads):
    """Rows of which neighbours are turned together, (H*d, D), with each such pair d/2 apart."""
    return weight.reshape(heads, -1, 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def build_model(reader):
    """The model of transformers, in float32, with the weights of the file."""
    transformers = import_module("transformers")
    weights, about = tensors(reader), lambda name: fact(reader, f"llama.{name}")
    heads, groups = about("attention.head_count"), about("attention.head_count_kv")
    config = transformers.LlamaConfig(
        vocab_size=weights["token_embd.weight"].shape[0],
        hidden_size=about("embedding_length"),
        intermediate_size=about("feed_forward_length"),
        num_hidden_layers=about("block_count"),
        num_attention_heads=heads,
        num_key_value_heads=groups,
        max_position_embeddings=about("context_length"),
        rms_norm_eps=about("attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": about("rope.freq_base")},
        tie_word_embeddings=True,
        attn_implementation="eager",
    )
    state = {
        "model.embed_tokens.weight": weights["token_embd.weight"],
        "lm_head.weight": weights["token_embd.weight"],
        "model.norm.weight": weights["output_norm.weight"],
    }
    parts = {
        "attn_norm": "input_layernorm",
        "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.o_proj",
        "ffn_norm": "post_attention_layernorm",
        "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj",
        "ffn_down": "mlp.down_proj",
    }
    paired = {"attn_q": heads, "attn_k": groups}
    for i in range(config.num_hidden_layers):
        for ours, theirs in parts.items():
            weight = weights[f"blk.{i}.{ours}.weight"]
            weight = halves(weight, paired[ours]) if ours in paired else weight
            state[f"model.layers.{i}.{theirs}.weight"] = weight
    model = transformers.LlamaForCausalLM(config)
    model.load_state_dict(state)  # strict: nothing is missing, nothing left over
    return model.float().eval()


def build_tokenizer(reader):
    """The tokenizer of tokenizers, with the tokens and merges of the file."""
    tokenizers = import_module("tokenizers")
    split = tokenizers.pre_tokenizers
    tokens, types = (fact(reader, f"tokenizer.ggml.{name}") for name in ("tokens", "token_type"))
    merges = [tuple(merge.split(" ")) for merge in fact(reader, "tokenizer.ggml.merges")]
    numbers = {token: number for number, token in enumerate(tokens)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(numbers, merges))
    tokenizer.pre_tokenizer = split.Sequence(
        [split.Digits(individual_digits=True), split.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, types) if kind == SPECIAL])
    return tokenizer


@torch.no_grad()
def logits_of(model, tokens):
    """The logits of each token after each of the given ones. Takes a list, returns (n, V)."""
    return model(torch.tensor([tokens])).logits[0]


def measured(model, tokenizer, text):
    """What a text is for the reference: its tokens, a few positions, and logits there."""
    tokens = tokenizer.encode(text).ids
    places = torch.linspace(0, len(tokens) - 1, min(POSITIONS, len(tokens))).long().tolist()
    logits, rows = logits_of(model, tokens), []
    for row in logits[places]:
        chosen = [*row.topk(LIKELIEST).indices.tolist(), *FIXED]
        rows.append([[token, round(row[token].item(), 4)] for token in chosen])
    return {"text": text, "tokens": tokens, "positions": places, "logits": rows}


def lines(entries):
    """A list of JSON, one entry a line."""
    return "[\n" + ",\n".join(entries) + "\n]"


def written(versions, texts, strings):
    """All of it in JSON, in ASCII, so that what can't be seen is seen in a diff."""
    records = []
    for text in texts:
        logits = lines(map(json.dumps, text.pop("logits")))
        records.append(json.dumps(text)[:-1] + f', "logits": {logits}}}')
    parts = json.dumps(versions), lines(records), lines(map(json.dumps, strings))
    return '{{"versions": {},\n"texts": {},\n"strings": {}}}\n'.format(*parts)


def main():
    version = import_module("importlib.metadata").version
    names = "transformers", "tokenizers", "torch", "gguf"
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    path = sys.argv[1] if sys.argv[1:] else import_module("data.smollm_file").model_file()
    reader = import_module("gguf").GGUFReader(path)
    model, tokenizer = build_model(reader), build_tokenizer(reader)
    texts = [measured(model, tokenizer, text) for text in TEXTS]
    strings = [[text, tokenizer.encode(text).ids] for text in STRINGS]
    FILE.write_text(written(versions, texts, strings), encoding="utf-8", newline="\n")
    print(f"{FILE}: {FILE.stat().st_size} bytes, with {versions}")


if __name__ == "__main__":
    main()
