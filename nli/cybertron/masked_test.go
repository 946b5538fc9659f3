package cybertron

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"github.com/tabperturb/tabperturb/perturb"
)

// newTinyMasked is [newTiny] with the head of a masked language model.
func newTinyMasked(tb testing.TB, hidden, layers int) *tiny {
	tb.Helper()
	t := newTiny(tb, hidden, layers)
	t.layout = append(encoderSlots(t.parsed(tb)), (&Masked{}).headSlots(&config{HiddenSize: hidden, VocabSize: len(t.vocab)})...)
	t.config["architectures"] = []string{"BertForMaskedLM"}
	delete(t.config, "id2label")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range t.layout {
		if strings.HasPrefix(s.name, "cls.") {
			data := make([]float32, s.numbers())
			for i := range data {
				data[i] = float32(rng.NormFloat64() * 0.4)
			}
			t.state[s.name] = data
		}
	}
	return t
}

func openMasked(tb testing.TB, dir string, o Options) *Masked {
	tb.Helper()
	m, err := OpenMasked(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func mustFill(tb testing.TB, m *Masked, text string, k int) []perturb.Word {
	tb.Helper()
	words, err := m.Fill(context.Background(), text, k)
	if err != nil {
		tb.Fatal(err)
	}
	return words
}

var maskedTexts = []string{
	"[MASK]", "The [MASK] of the dog is film.", "date of [MASK]", "Café-[MASK] 東京 \x00\xff [SEP]",
	strings.Repeat("dog ", 3000) + "[MASK] name", "title [MASK]" + strings.Repeat(" film", 3000),
}

// masked returns the probabilities by the definition of the head: dense layer,
// activation, normalization, and a product with the rows of name.
func (r reference) masked(t *testing.T, tokens []string, at int, name string) []float64 {
	segments := make([]int, len(tokens))
	h := r.linear("cls.predictions.transform.dense", r.encode(tokens, segments)[at])
	for i, v := range h {
		h[i] = r.act(v)
	}
	h = r.norm("cls.predictions.transform.LayerNorm", h)
	logits := r.row("cls.predictions.bias", -1)
	for i := range logits {
		logits[i] += floats.Dot(h, r.row(name, i))
	}
	p, err := softmax(logits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The probabilities are those of BERT's definition, with each activation, with
// and without rows of the head's own.
func TestFillEqualsReference(t *testing.T) {
	for act, f := range referenceActivations {
		for rows, tied := range map[string]bool{"bert.embeddings.word_embeddings.weight": true, "cls.predictions.decoder.weight": false} {
			model := newTinyMasked(t, 16, 2)
			model.config["hidden_act"], model.config["tie_word_embeddings"] = act, tied
			ref := reference{tiny: model, hidden: 16, layers: 2, heads: 2, eps: 1e-3, act: f}
			m := openMasked(t, model.torch(t), Options{})
			for _, text := range maskedTexts {
				if len(text) > 1000 && act != "gelu" {
					continue // what is cut does not depend on the activation
				}
				before, after, _ := strings.Cut(text, "[MASK]")
				tokens, at := m.tokens.maskedTokens(before, after)
				want := ref.masked(t, tokens, at, rows)
				got := mustFill(t, m, text, len(model.vocab))
				if !slices.IsSortedFunc(got, func(a, b perturb.Word) int { return int(math.Copysign(1, b.Probability-a.Probability)) }) {
					t.Errorf("%s, tied %t, %.40q: not in order of probability", act, tied, text)
				}
				for _, w := range got {
					if p := want[slices.Index(model.vocab, w.Text)]; math.Abs(w.Probability-p) > 2e-5 {
						t.Errorf("%s, tied %t, %.40q: %s has %.7f, want %.7f", act, tied, text, w.Text, w.Probability, p)
					}
				}
			}
		}
	}
}

func TestFillWords(t *testing.T) {
	model := newTinyMasked(t, 16, 1)
	m := openMasked(t, model.torch(t), Options{})
	all := mustFill(t, m, "The [MASK].", 1000)
	var got, want []string
	for _, w := range all {
		got = append(got, w.Text)
	}
	for _, w := range model.vocab {
		if !strings.HasPrefix(w, "##") && !strings.HasPrefix(w, "[") && !slices.Contains([]string{"(", ")", "-", "]", "."}, w) {
			want = append(want, w)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all[:3], mustFill(t, m, "The [MASK].", 3)); diff != "" {
		t.Errorf("the first three (-of all +alone):\n%s", diff)
	}
	if got := mustFill(t, m, "The [MASK].", -1); len(got) != 0 {
		t.Errorf("none wanted, got %v", got)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := mustFill(t, m, "The [MASK].", 1000); !cmp.Equal(got, all) {
				t.Error(cmp.Diff(all, got))
			}
		})
	}
	wg.Wait()
}

func TestFillRefuses(t *testing.T) {
	m := openMasked(t, newTinyMasked(t, 16, 1).torch(t), Options{})
	for _, text := range []string{"", "The dog.", "[MASK] of [MASK]", "[mask]"} {
		if _, err := m.Fill(context.Background(), text, 1); err == nil || !strings.Contains(err.Error(), "expected [MASK] once") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Fill(ctx, "[MASK]", 1); err == nil {
		t.Error("a cancelled context gave words")
	}
}

func TestBlankTokens(t *testing.T) {
	m := openMasked(t, newTinyMasked(t, 16, 1).torch(t), Options{MaxTokens: 8})
	for _, test := range []struct{ before, after, want string }{
		{"Dog-NAME ", " (age)", "[CLS] dog - name [MASK] ( age [SEP]"},
		{"", "", "[CLS] [MASK] [SEP]"},
		{"a [SEP] ", "", "[CLS] a [ sep ] [MASK] [SEP]"},
		{"dog age dog age film ", " name", "[CLS] age dog age film [MASK] name [SEP]"},
		{"dog ", " a b c d e f g h", "[CLS] dog [MASK] a b c d [SEP]"},
	} {
		tokens, at := m.tokens.maskedTokens(test.before, test.after)
		if got := strings.Join(tokens, " "); got != test.want || tokens[at] != "[MASK]" {
			t.Errorf("%q, %q: %s, blank at %d, want %s", test.before, test.after, got, at, test.want)
		}
	}
}

func TestMaskedKey(t *testing.T) {
	model := newTinyMasked(t, 16, 1)
	dir := model.torch(t)
	key := openMasked(t, dir, Options{}).Key()
	if again := openMasked(t, dir, Options{Workers: 2}).Key(); again != key {
		t.Errorf("keys %s and %s of one model", key, again)
	}
	if other := openMasked(t, dir, Options{MaxTokens: 8}).Key(); other == key {
		t.Error("a limit of tokens has the same key")
	}
	model.state["cls.predictions.bias"][0]++
	if other := openMasked(t, model.torch(t), Options{}).Key(); other == key {
		t.Error("other weights have the same key")
	}
}

func TestOpenMaskedRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*tiny)
		want   string
	}{
		"classifier": {func(m *tiny) { m.config["architectures"] = []string{"BertForSequenceClassification"} }, `expected ["BertForMaskedLM"]`},
		"roberta":    {func(m *tiny) { m.config["model_type"] = "roberta" }, `model_type is "roberta", expected "bert"`},
		"no mask":    {func(m *tiny) { m.vocab[4] = "[mask]" }, "vocab.txt: lacks [MASK]"},
		"no head":    {func(m *tiny) { delete(m.state, "cls.predictions.bias") }, "lacks cls.predictions.bias"},
		"no rows": {func(m *tiny) {
			delete(m.state, "cls.predictions.decoder.weight")
			m.config["tie_word_embeddings"] = false
		}, "lacks cls.predictions.decoder.weight"},
		"NaN":  {func(m *tiny) { m.state["cls.predictions.bias"][1] = float32(math.NaN()) }, "cls.predictions.bias: number 1 is NaN"},
		"huge": {func(m *tiny) { m.config["hidden_size"], m.config["num_hidden_layers"] = 1<<15, 128 }, "expected at most 2147483648"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTinyMasked(t, 16, 1)
			c.change(m)
			refuseMasked(t, m.torch(t), Options{}, c.want)
		})
	}
	dir := newTinyMasked(t, 16, 1).torch(t)
	refuseMasked(t, dir, Options{MaxTokens: 4}, "room for 4 tokens")
	if err := os.Rename(filepath.Join(dir, torchFile), filepath.Join(dir, spagoFile)); err != nil {
		t.Fatal(err)
	}
	refuseMasked(t, dir, Options{}, "no weights, expected model.safetensors or pytorch_model.bin")
	refuseMasked(t, t.TempDir(), Options{}, configFile)
}

func refuseMasked(t *testing.T, dir string, o Options, want string) {
	t.Helper()
	if _, err := OpenMasked(dir, o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
