package cybertron

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nlpodyssey/cybertron/pkg/vocabulary"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/nli"
)

// swapped is the vocabulary with two entries changed about.
func (t *tiny) swapped() *vocabulary.Vocabulary {
	v := append([]string{}, t.vocab...)
	v[11], v[12] = v[12], v[11]
	return vocabulary.New(v)
}

func TestPairTokens(t *testing.T) {
	model := newTiny(t, 16, 1)
	m := open(t, model.torch(t), Options{MaxTokens: 10})
	for _, c := range []struct{ premise, hypothesis, want string }{
		{"dog name", "title", "[CLS] dog name [SEP] title [SEP]"},
		{"Dog-NAME(age)", "Café", "[CLS] dog - name ( age ) [SEP] cafe [SEP]"},
		{"abc", "zoo", "[CLS] a ##b ##c [SEP] [UNK] [SEP]"},
		{"[SEP] [CLS]", "", "[CLS] [ sep ] [ cls ] [SEP] [SEP]"},
		{"dog age dog age dog", "name name name name name name", "[CLS] dog age dog age [SEP] name name name [SEP]"},
		{"dog", "a b c d e f g h", "[CLS] dog [SEP] a b c d e f [SEP]"},
		{"a\u200bb\x07\x00", "\xff", "[CLS] a ##b [SEP] [SEP]"},
		{"東京", "date\u00a0of\tbirth", "[CLS] [UNK] [UNK] [SEP] date of birth [SEP]"},
	} {
		if got := strings.Join(m.tokens.pairTokens(nli.Pair{Premise: c.premise, Hypothesis: c.hypothesis}), " "); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.premise, c.hypothesis, got, c.want)
		}
	}
}

// The tokens of RoBERTa are those of its two forms of tokenizer, of which the second may have merges in two forms.
func TestBytePairTokens(t *testing.T) {
	model := newTinyRoBERTa(t, 16, 1)
	files := model.torch(t)
	jsons := []any{model.merges, lists.Map(model.merges, func(m string) []string { return strings.Split(m, " ") })}
	for _, prefix := range []bool{false, true} {
		model.tokenizer["add_prefix_space"] = prefix
		model.writeText(t, files)
		tokenizers := []*tokenizer{open(t, files, Options{MaxTokens: 12}).tokens}
		for _, merges := range jsons {
			tokenizers = append(tokenizers, open(t, model.tokenizerJSON(t, prefix, merges), Options{MaxTokens: 12}).tokens)
		}
		for text, want := range map[string]string{
			"dog name": "dog Ġ name", "the dog's": "t he Ġdog 's", "the DOG'S": "t he Ġ D O G ' S", "in  the\t\nre": "in Ġ Ġthe ĉ Ċ re",
			"end \u00a0": "e n d Ġ Â ł", "é½\xff": "Ã© Â ½ ï ¿ ½", "<s></s>": "< s > < / s >", "": "", "nam": "n am",
		} {
			if prefix && text != "" {
				want = strings.Join(tokenizers[0].split(" "+text), " ")
			}
			for i, tok := range tokenizers {
				if got := strings.Join(tok.split(text), " "); got != want {
					t.Errorf("%d, %q: %s, want %s", i, text, got, want)
				}
			}
		}
		p := nli.Pair{Premise: "dog name dog name dog name", Hypothesis: "the text in the title"}
		want := map[bool]string{
			false: "<s> dog Ġ name Ġdog </s> </s> t he Ġt e </s>",
			true:  "<s> Ġdog Ġ name Ġdog </s> </s> Ġthe Ġt e xt </s>",
		}[prefix]
		for _, tok := range tokenizers {
			if got := strings.Join(tok.pairTokens(p), " "); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
	refuse(t, model.tokenizerJSON(t, false, 7), Options{}, "tokenizer.json: merges: json: cannot unmarshal number")
	empty := t.TempDir()
	copyFile(t, files, empty, configFile)
	refuse(t, empty, Options{}, "no tokenizer, expected vocab.json and merges.txt, or tokenizer.json")
	write(t, filepath.Join(empty, bpeFile), []byte(`{"pre_tokenizer": {"type": "Metaspace"}}`))
	refuse(t, empty, Options{}, `tokenizer.json: pre_tokenizer is "Metaspace", expected "ByteLevel", and a vocabulary`)
}

// tokenizerJSON writes the folder with tokenizer.json in the place of the other two files. The last piece is an added one.
func (t *tiny) tokenizerJSON(tb testing.TB, prefix bool, merges any) string {
	tb.Helper()
	dir := t.torch(tb)
	rows := map[string]int{}
	for i, piece := range t.vocab[:len(t.vocab)-1] {
		rows[piece] = i
	}
	b, err := json.Marshal(map[string]any{
		"added_tokens":  []map[string]any{{"id": len(t.vocab) - 1, "content": t.vocab[len(t.vocab)-1]}},
		"pre_tokenizer": map[string]any{"type": "ByteLevel", "add_prefix_space": prefix},
		"model":         map[string]any{"type": "BPE", "vocab": rows, "merges": merges},
	})
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(dir, bpeFile), b)
	for _, name := range []string{piecesFile, mergesFile, tokenizerFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// copyFile copies a file from one folder to another.
func copyFile(tb testing.TB, from, to, name string) {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, filepath.Join(to, name), b)
}

func TestCasedTokens(t *testing.T) {
	model := newTiny(t, 16, 1)
	model.vocab[11], model.vocab[12] = "Dog", "café"
	model.tokenizer["do_lower_case"] = false
	m := open(t, model.torch(t), Options{})
	if got := strings.Join(m.tokens.split("Dog dog café"), " "); got != "Dog [UNK] café" {
		t.Errorf("tokens %s", got)
	}
}

// Any text gives a sequence that fits the model and has two separators.
func FuzzPairTokens(f *testing.F) {
	m := open(f, newTiny(f, 16, 1).torch(f), Options{})
	for _, p := range testPairs {
		f.Add(p.Premise[:min(len(p.Premise), 100)], p.Hypothesis)
	}
	f.Fuzz(func(t *testing.T, premise, hypothesis string) {
		tokens := m.tokens.pairTokens(nli.Pair{Premise: premise, Hypothesis: hypothesis})
		separators := 0
		for _, x := range tokens {
			if _, ok := m.bert.Bert.Embeddings.Vocab.ID(x); !ok {
				t.Errorf("token %q is not in the vocabulary", x)
			}
			if x == "[SEP]" {
				separators++
			}
		}
		if separators != 2 || len(tokens) > 24 || tokens[0] != "[CLS]" {
			t.Errorf("tokens %q", tokens)
		}
	})
}
