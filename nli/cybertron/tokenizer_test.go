package cybertron

import (
	"strings"
	"testing"

	"github.com/nlpodyssey/cybertron/pkg/vocabulary"

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
