"""Scores pairs with BERT and RoBERTa sequence classifiers by their definition, in NumPy.

usage: python3 reference.py DIR > reference.tsv

DIR, which `go test -run TestReference -folders DIR` writes, has pairs.json and the folders bert and roberta. This
reads every file by itself: config.json, vocabulary, merges, model.safetensors and pytorch_model.bin. It
writes a row for each model and pair: model, pair, number of tokens, then a probability for each label by name.
"""

import collections, json, math, pickle, struct, sys, unicodedata, zipfile
import numpy as np


def safetensors(path):
    data = open(path, "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + n])
    header.pop("__metadata__", None)
    types = {"F32": "<f4", "I64": "<i8"}
    return {k: np.frombuffer(data[8 + n + t["data_offsets"][0] : 8 + n + t["data_offsets"][1]], types[t["dtype"]]).reshape(t["shape"])
            for k, t in header.items()}


class Storages(pickle.Unpickler):
    def __init__(self, archive):
        super().__init__(archive.open("archive/data.pkl"))
        self.archive = archive

    def find_class(self, module, name):
        return {"OrderedDict": collections.OrderedDict, "_rebuild_tensor_v2": lambda s, offset, size, stride, *_: s[offset : offset + math.prod(size)].reshape(size)}.get(name)

    def persistent_load(self, pid):
        return np.frombuffer(self.archive.read("archive/data/" + pid[2]), "<f4")


def torch(path):
    return Storages(zipfile.ZipFile(path)).load()


def kind(c):
    return "blank" if c.isspace() else {"L": "letter", "N": "number"}.get(unicodedata.category(c)[0], "other")


def words(text):
    """The words of GPT-2's pattern: 's|'t|'re|'ve|'m|'ll|'d| ?letters| ?numbers| ?others|blanks but the last|blanks."""
    i = 0
    while i < len(text):
        contraction = next((s for s in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(s, i)), None)
        if contraction:
            yield contraction
            i += len(contraction)
            continue
        j = i + 1 if text[i] == " " and i + 1 < len(text) and kind(text[i + 1]) != "blank" else i
        k = j
        while k < len(text) and kind(text[k]) == kind(text[j]):
            k += 1
        if kind(text[j]) == "blank" and k < len(text) and k - j > 1:
            k -= 1
        yield text[i:k]
        i = k


def symbols():
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in seen]
    return {b: chr(b) for b in seen} | {b: chr(256 + i) for i, b in enumerate(rest)}


class BytePairs:
    def __init__(self, dir, config):
        self.vocab = json.load(open(dir + "/vocab.json", encoding="utf-8"))
        lines = open(dir + "/merges.txt", encoding="utf-8").read().split("\n")
        self.ranks = {tuple(line.split(" ")): i for i, line in enumerate(lines[1:]) if line}

    def tokens(self, text):
        out, table = [], symbols()
        for word in words(text):
            parts = [table[b] for b in word.encode()]
            while len(parts) > 1:
                rank, at = min((self.ranks.get((a, b), math.inf), i) for i, (a, b) in enumerate(zip(parts, parts[1:])))
                if rank == math.inf:
                    break
                parts[at : at + 2] = [parts[at] + parts[at + 1]]
            out += [self.vocab[p] for p in parts]
        return out

    def pair(self, a, b, n):
        a, b = truncated(self.tokens(a), self.tokens(b), n - 4)
        start, end = self.vocab["<s>"], self.vocab["</s>"]
        ids = [start, *a, end, end, *b, end]
        return ids, [0] * len(ids)


class WordPieces:
    def __init__(self, dir, config):
        self.vocab = {w: i for i, w in enumerate(open(dir + "/vocab.txt", encoding="utf-8").read().rstrip("\n").split("\n"))}

    def pieces(self, word):
        out, i = [], 0
        while i < len(word):
            for j in range(len(word), i, -1):
                piece = ("##" if i else "") + word[i:j]
                if piece in self.vocab:
                    out.append(self.vocab[piece])
                    i = j
                    break
            else:
                return [self.vocab["[UNK]"]]
        return out if len(word) <= 100 else [self.vocab["[UNK]"]]

    def tokens(self, text):
        clean = ""
        for c in unicodedata.normalize("NFD", text.lower()):
            category = unicodedata.category(c)
            if c.isspace():
                clean += " "
            elif category == "Mn" or category[0] == "C" or c == "\ufffd":
                continue
            elif category[0] == "P" or c in "$+<=>^`|~" or "\u4e00" <= c <= "\u9fff":
                clean += " " + c + " "
            else:
                clean += c
        return [p for word in clean.split() for p in self.pieces(word)]

    def pair(self, a, b, n):
        a, b = truncated(self.tokens(a), self.tokens(b), n - 3)
        sep = self.vocab["[SEP]"]
        return [self.vocab["[CLS]"], *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)


def truncated(a, b, n):
    while len(a) + len(b) > n:
        if len(a) > len(b):
            a = a[:-1]
        else:
            b = b[:-1]
    return a, b


class Model:
    def __init__(self, dir):
        self.config = json.load(open(dir + "/config.json"))
        self.state = {k: v.astype("f8") for k, v in safetensors(dir + "/model.safetensors").items()}
        for name, tensor in torch(dir + "/pytorch_model.bin").items():
            assert np.array_equal(tensor, self.state[name]), name
        self.roberta = self.config["model_type"] == "roberta"
        self.tokenizer = (BytePairs if self.roberta else WordPieces)(dir, self.config)

    def linear(self, name, x):
        return x @ self.state[name + ".weight"].T + self.state[name + ".bias"]

    def norm(self, name, x):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        return x * self.state[name + ".weight"] + self.state[name + ".bias"]

    def attend(self, name, x):
        heads = self.config["num_attention_heads"]
        q, k, v = (self.linear(name + p, x).reshape(len(x), heads, -1).transpose(1, 0, 2) for p in ("query", "key", "value"))
        weights = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]))
        return (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(x), -1)

    def logits(self, ids, segments):
        name, first = ("roberta", self.config["pad_token_id"] + 1) if self.roberta else ("bert", 0)
        rows = lambda table, index: self.state[f"{name}.embeddings.{table}.weight"][index]
        x = rows("word_embeddings", ids) + rows("position_embeddings", np.arange(len(ids)) + first) + rows("token_type_embeddings", segments)
        x = self.norm(name + ".embeddings.LayerNorm", x)
        for i in range(self.config["num_hidden_layers"]):
            layer = f"{name}.encoder.layer.{i}."
            x = self.norm(layer + "attention.output.LayerNorm", x + self.linear(layer + "attention.output.dense", self.attend(layer + "attention.self.", x)))
            y = self.linear(layer + "intermediate.dense", x)
            y = y * 0.5 * (1 + np.vectorize(math.erf)(y / math.sqrt(2)))
            x = self.norm(layer + "output.LayerNorm", x + self.linear(layer + "output.dense", y))
        dense, out = ("classifier.dense", "classifier.out_proj") if self.roberta else ("bert.pooler.dense", "classifier")
        return self.linear(out, np.tanh(self.linear(dense, x[0])))

    def scores(self, premise, hypothesis):
        positions = self.config["max_position_embeddings"] - (self.config["pad_token_id"] + 1 if self.roberta else 0)
        ids, segments = self.tokenizer.pair(premise, hypothesis, positions)
        p = np.exp(self.logits(ids, segments))
        return len(ids), {self.config["id2label"][str(i)].lower(): x for i, x in enumerate(p / p.sum())}


for name in ("bert", "roberta"):
    model = Model(sys.argv[1] + "/" + name)
    for i, (premise, hypothesis) in enumerate(json.load(open(sys.argv[1] + "/pairs.json", encoding="utf-8"))):
        n, p = model.scores(premise, hypothesis)
        print(name, i, n, *(f"{p[label]:.7f}" for label in ("entailment", "neutral", "contradiction")), sep="\t")
