package cybertron

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nlpodyssey/spago/mat"

	"github.com/tabperturb/tabperturb/nli"
)

var testPairs = []nli.Pair{
	{Premise: "dog name (text)", Hypothesis: "dog title (text)"},
	{Premise: "dog title (text)", Hypothesis: "dog name (text)"},
	{Premise: "dog age (number)", Hypothesis: "dog date-of-birth (number)"},
	{Premise: "", Hypothesis: ""},
	{Premise: "last", Hypothesis: "film"},
	{Premise: "Café année 東京 [SEP] name", Hypothesis: "cafe \x00\xff"},
	{Premise: strings.Repeat("dog ", 3000), Hypothesis: "name"},
	{Premise: strings.Repeat("x", 100_000), Hypothesis: "name"},
}

func open(tb testing.TB, dir string, o Options) *Model {
	tb.Helper()
	m, err := Open(dir, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func classify(tb testing.TB, m *Model, pairs []nli.Pair) []nli.Scores {
	tb.Helper()
	scores, err := m.Classify(context.Background(), pairs)
	if err != nil {
		tb.Fatal(err)
	}
	return scores
}

// The scores are those of the definition of BERT and of RoBERTa, from each format of the weights
// and with each activation.
func TestClassifyEqualsReference(t *testing.T) {
	for act, f := range referenceActivations {
		for _, model := range []*tiny{newTiny(t, 16, 2), newTinyRoBERTa(t, 16, 2)} {
			model.config["hidden_act"] = act
			dirs := map[string]string{
				"zip": model.torch(t), "legacy": model.folder(t, torchFile, model.legacy(t)),
				"safetensors": model.folder(t, safetensorsFile, model.safetensors(t, "F32")),
			}
			if model.merges == nil {
				dirs["spago"] = model.spago(t, nil)
			}
			ref := reference{tiny: model, hidden: 16, layers: 2, heads: 2, eps: 1e-3, act: f}
			known := map[string][]float64{} // the definition is slow: once for all formats
			for format, dir := range dirs {
				ref.compare(t, fmt.Sprint(act, ", ", model.config["model_type"], ", ", format), open(t, dir, Options{}), known)
			}
		}
	}
}

// compare compares the scores of the model for the test's pairs with the definition's probabilities,
// which it keeps by their tokens.
func (r reference) compare(t *testing.T, name string, m *Model, known map[string][]float64) {
	t.Helper()
	for i, s := range classify(t, m, testPairs) {
		tokens := m.tokens.pairTokens(testPairs[i])
		key := strings.Join(tokens, " ")
		if known[key] == nil {
			known[key] = r.probabilities(t, tokens)
		}
		got := map[label]float64{contradiction: s.Contradiction, entailment: s.Entailment, neutral: s.Neutral}
		for k, want := range known[key] {
			if p := got[m.labels[k]]; math.Abs(p-want) > 5e-5+2e-5 {
				t.Errorf("%s: pair %d: class %d has %.7f, want %.7f", name, i, k, p, want)
			}
		}
		if sum := s.Entailment + s.Neutral + s.Contradiction; math.Abs(sum-1) > 1.6e-4 {
			t.Errorf("%s: pair %d: sum %v", name, i, sum)
		}
	}
}

// probabilities puts the tokens behind the first separator into segment 1.
func (r reference) probabilities(t *testing.T, tokens []string) []float64 {
	t.Helper()
	segments := make([]int, len(tokens))
	for k := 1; k < len(tokens); k++ {
		segments[k] = segments[k-1]
		if tokens[k-1] == "[SEP]" {
			segments[k]++
		}
	}
	p, err := softmax(r.logits(tokens, segments))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Weights of 16 bits score as the same numbers of 32 bits do.
func TestHalfPrecision(t *testing.T) {
	model := newTinyRoBERTa(t, 16, 1)
	for _, data := range model.state {
		for i, x := range data { // numbers that all types hold
			data[i] = float32(math.Round(float64(max(-3, min(x, 3)))*64) / 64)
		}
	}
	want := classify(t, open(t, model.torch(t), Options{}), testPairs)
	for name, dir := range map[string]string{
		"F16": model.folder(t, safetensorsFile, model.safetensors(t, "F16")), "HalfStorage": model.folder(t, torchFile, model.zip(t, "torch.HalfStorage")),
		"BF16": model.folder(t, safetensorsFile, model.safetensors(t, "BF16")), "BFloat16Storage": model.folder(t, torchFile, model.zip(t, "torch.BFloat16Storage")),
	} {
		if diff := cmp.Diff(want, classify(t, open(t, dir, Options{}), testPairs)); diff != "" {
			t.Errorf("%s: (-float32 +got):\n%s", name, diff)
		}
	}
	for bits, want := range map[uint16]float32{0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 1: 0x1p-24, 0x83ff: -0x3ffp-24, 0x7bff: 65504, 0xfc00: float32(math.Inf(-1)), 0x8000: 0} {
		if got := half([]byte{byte(bits), byte(bits >> 8)}); got != want {
			t.Errorf("half %#04x is %v, want %v", bits, got, want)
		}
	}
	if got := half([]byte{0, 0x7e}); got == got {
		t.Errorf("half 0x7e00 is %v, want no number", got)
	}
}

func TestClassifyIsDeterministic(t *testing.T) {
	t.Run("bert", func(t *testing.T) { classifyAlike(t, newTiny(t, 16, 2).torch(t)) })
	t.Run("roberta", func(t *testing.T) { classifyAlike(t, newTinyRoBERTa(t, 16, 2).torch(t)) })
}

// classifyAlike scores pairs one by one, together and concurrently, with the same result.
func classifyAlike(t *testing.T, dir string) {
	t.Helper()
	m := open(t, dir, Options{Workers: 1})
	want := classify(t, m, testPairs)
	for i, p := range testPairs {
		if got := classify(t, m, []nli.Pair{p}); got[0] != want[i] {
			t.Errorf("alone, pair %d scores %v, in a batch %v", i, got[0], want[i])
		}
	}
	again := open(t, dir, Options{Workers: 8})
	if again.Key() != m.Key() {
		t.Errorf("keys %s and %s of one model", m.Key(), again.Key())
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := again.Classify(context.Background(), testPairs)
			if err != nil || !cmp.Equal(got, want) {
				t.Errorf("%v %s", err, cmp.Diff(want, got))
			}
		})
	}
	wg.Wait()
}

func TestClassifyCancelled(t *testing.T) {
	m := open(t, newTiny(t, 16, 1).torch(t), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := m.Classify(ctx, testPairs); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := m.Classify(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("no pairs: %v, %v", got, err)
	}
}

func TestKey(t *testing.T) {
	model := newTiny(t, 16, 1)
	dir := model.torch(t)
	keys := map[string]string{open(t, dir, Options{}).Key(): "plain"}
	add := func(name, key string) {
		if first, ok := keys[key]; ok {
			t.Errorf("%s and %s have one key", name, first)
		}
		keys[key] = name
	}
	add("tokens", open(t, dir, Options{MaxTokens: 8}).Key())
	add("labels", open(t, dir, Options{Labels: []string{"neutral", "entailment", "contradiction"}}).Key())
	model.tokenizer["do_lower_case"] = false
	model.writeText(t, dir)
	add("tokenizer", open(t, dir, Options{}).Key())
	model.state["classifier.bias"][0]++
	add("weights", open(t, model.torch(t), Options{}).Key())
	if len(keys) != 5 {
		t.Errorf("%d keys, want 5", len(keys))
	}
}

// Labels may stand in label2id alone.
func TestLabel2ID(t *testing.T) {
	model := newTinyRoBERTa(t, 16, 1)
	want := classify(t, open(t, model.torch(t), Options{}), testPairs)
	delete(model.config, "id2label")
	model.config["label2id"] = map[string]int{"entailment": 2, "neutral": 1, "contradiction": 0}
	if diff := cmp.Diff(want, classify(t, open(t, model.torch(t), Options{}), testPairs)); diff != "" {
		t.Error(diff)
	}
}

func TestTwoLabels(t *testing.T) {
	model := newTiny(t, 16, 1)
	model.config["id2label"] = map[string]string{"0": "not_entailment", "1": "entailment"}
	model.layout = classifierSlots(model.parsed(t))
	model.state["classifier.weight"] = model.state["classifier.weight"][:2*16]
	model.state["classifier.bias"] = model.state["classifier.bias"][:2]
	for _, s := range classify(t, open(t, model.torch(t), Options{}), testPairs) {
		if s.Contradiction != 0 || s.Entailment <= 0 || math.Abs(s.Entailment+s.Neutral-1) > 1e-12 {
			t.Errorf("scores %v, want entailment and neutral alone", s)
		}
	}
}

func TestOpenWritesNothing(t *testing.T) {
	dir := newTiny(t, 16, 1).torch(t)
	open(t, dir, Options{})
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{configFile, torchFile, tokenizerFile, vocabFile}, names); d != "" {
		t.Error(d)
	}
}

// Cybertron's download leaves an empty file; a conversion beside it is used.
func TestOpenPrefersWholeWeights(t *testing.T) {
	model := newTiny(t, 16, 1)
	dir := model.spago(t, nil)
	write(t, filepath.Join(dir, torchFile), nil)
	want := classify(t, open(t, dir, Options{}), testPairs)
	lastRowEmpty := model.spago(t, emptyLastRow)
	write(t, filepath.Join(lastRowEmpty, torchFile), model.zip(t, "torch.FloatStorage"))
	if got := classify(t, open(t, lastRowEmpty, Options{}), testPairs); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func emptyLastRow(m *classifier) {
	rows := m.Bert.Embeddings.Tokens.Weights
	last := rows[len(rows)-1]
	mat.SetData[float32](last.Value(), make([]float32, last.Value().Size()))
}

func TestOpenRefuses(t *testing.T) {
	type change = func(*tiny)
	set := func(key string, value any) change { return func(m *tiny) { m.config[key] = value } }
	for name, c := range map[string]struct {
		change change
		want   string
	}{
		"deberta":          {set("model_type", "deberta"), `config.json: model_type is "deberta", expected "bert" or "roberta"`},
		"other family":     {set("model_type", "roberta"), `architectures are ["BertForSequenceClassification"], expected ["RobertaForSequenceClassification"]`},
		"label2id":         {func(m *tiny) { delete(m.config, "id2label"); m.config["label2id"] = map[string]string{"a": "b"} }, "label2id: json:"},
		"masked":           {set("architectures", []string{"BertForMaskedLM"}), `architectures are ["BertForMaskedLM"], expected ["BertForSequenceClassification"]`},
		"no architecture":  {set("architectures", nil), `architectures are []`},
		"one label":        {set("id2label", map[string]string{"0": "entailment"}), `1 labels ["entailment"], expected 2 or 3`},
		"four labels":      {set("id2label", map[string]string{"0": "a", "1": "b", "2": "c", "3": "d"}), "4 labels"},
		"no labels":        {set("id2label", nil), "0 labels"},
		"unknown labels":   {set("id2label", map[string]string{"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}), `label 0 is "LABEL_0", expected entailment, neutral or contradiction (or entailment and not_entailment); id2label of config.json names them`},
		"label twice":      {set("id2label", map[string]string{"0": "neutral", "1": "neutral", "2": "entailment"}), `expected each of ["contradiction" "entailment" "neutral"] once`},
		"label gap":        {set("id2label", map[string]string{"0": "neutral", "1": "entailment", "7": "contradiction"}), "none for 2, expected 0 to 2"},
		"relative":         {set("position_embedding_type", "relative_key"), `expected "absolute"`},
		"activation":       {set("hidden_act", "mish"), `hidden_act is "mish"`},
		"huge":             {set("hidden_size", 1<<40), "hidden_size is 1099511627776, expected 1 to 32768"},
		"many layers":      {set("num_hidden_layers", 100), "lacks bert.encoder.layer.1.attention.self.query.weight"},
		"many parameters":  {func(m *tiny) { m.config["hidden_size"], m.config["num_hidden_layers"] = 1<<15, 128 }, "expected at most 2147483648"},
		"heads":            {set("num_attention_heads", 5), "hidden_size is 16, expected a multiple of the 5 heads"},
		"epsilon":          {set("layer_norm_eps", -1), "layer_norm_eps is -1"},
		"no types":         {set("type_vocab_size", 1), "type_vocab_size is 1, expected 2 to 16"},
		"wrong JSON type":  {set("hidden_size", "wide"), "config.json: json:"},
		"vocabulary size":  {set("vocab_size", 51), "vocab.txt: 50 entries, expected config.json's vocab_size of 51"},
		"vocabulary twice": {func(m *tiny) { m.vocab[20] = "dog" }, `vocab.txt:21: "dog" is also on line 12`},
		"no separator":     {func(m *tiny) { m.vocab[3] = "[sep]" }, "vocab.txt: lacks [SEP]"},
		"intermediate":     {set("intermediate_size", 33), "bert.encoder.layer.0.intermediate.dense.weight has shape [32 16], expected [33 16]"},
		"missing tensor":   {func(m *tiny) { delete(m.state, "classifier.bias") }, "pytorch_model.bin: lacks classifier.bias"},
		"NaN":              {func(m *tiny) { m.state["classifier.bias"][1] = float32(math.NaN()) }, "classifier.bias: number 1 is NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTiny(t, 16, 1)
			c.change(m)
			refuse(t, m.torch(t), Options{}, c.want)
		})
	}
}

func refuse(t *testing.T, dir string, o Options, want string) {
	t.Helper()
	if _, err := Open(dir, o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestOpenRefusesWeights(t *testing.T) {
	m := newTiny(t, 16, 1)
	data := func(name string, b []byte) string { return m.folder(t, name, b) }
	whole, legacy := m.zip(t, "torch.FloatStorage"), m.legacy(t)
	for name, c := range map[string]struct{ dir, want string }{
		"none":         {data("other.bin", nil), "no weights, expected model.safetensors or pytorch_model.bin or spago_model.bin"},
		"safetensors":  {data(safetensorsFile, []byte("x")), "model.safetensors: EOF, expected the length of a safetensors header"},
		"empty":        {data(torchFile, []byte{}), "no weights, pytorch_model.bin is empty, expected model.safetensors"},
		"double":       {data(torchFile, m.zip(t, "torch.DoubleStorage")), "bert.embeddings.word_embeddings.weight is of torch.DoubleStorage, expected float32, float16 or bfloat16"},
		"text":         {data(torchFile, []byte("version https://git-lfs")), "no zip file and no magic number, expected a file of torch.save"},
		"cut zip":      {data(torchFile, whole[:len(whole)-100]), "expected a file of torch.save"},
		"cut legacy":   {data(torchFile, legacy[:len(legacy)-1]), "expected no more than the file holds"},
		"short header": {data(safetensorsFile, []byte("\xff\xff\x00\x00\x00\x00\x00\x00{}")), "model.safetensors: header of 65535 bytes, expected at most 2"},
		"spago text":   {data(spagoFile, []byte("version https://git-lfs")), "spago_model.bin: 23 bytes, expected at least"},
		"spago noise":  {data(spagoFile, whole), "spago_model.bin: "},
		"spago row":    {m.spago(t, emptyLastRow), `the embedding of "last" (row 49) is empty, as cybertron's converter leaves the last one`},
		"spago parts":  {m.spago(t, func(m *classifier) { m.Bert.Pooler = nil }), "lacks bert.pooler.dense.weight"},
		"spago layer":  {m.spago(t, func(m *classifier) { m.Bert.Encoder.Layers = nil }), "spago_model.bin: "},
		"spago vocab":  {m.spago(t, func(m *classifier) { m.Bert.Embeddings.Vocab = newTiny(t, 16, 1).swapped() }), "vocabulary differs from vocab.txt at entry 11"},
	} {
		t.Run(name, func(t *testing.T) { refuse(t, c.dir, Options{}, c.want) })
	}
	for _, name := range []string{configFile, vocabFile, tokenizerFile} {
		dir := m.torch(t)
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		refuse(t, dir, Options{}, name)
		write(t, filepath.Join(dir, name), make([]byte, maxTextFile+1))
		refuse(t, dir, Options{}, "more than 16777216 bytes")
	}
	refuse(t, filepath.Join(t.TempDir(), "absent"), Options{}, configFile)
	refuse(t, m.torch(t), Options{MaxTokens: 4}, "room for 4 tokens, expected at least 5")
	refuse(t, m.torch(t), Options{Labels: []string{"entailment", "not-entailment"}}, "classifier.weight has shape [3 16], expected [2 16]")
}

func TestOpenRefusesRoBERTa(t *testing.T) {
	refused := func(name, old, new string) string {
		t.Helper()
		dir := newTinyRoBERTa(t, 16, 1).torch(t)
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, bytes.Replace(data, []byte(old), []byte(new), 1))
		_, err = Open(dir, Options{})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for name, c := range map[string]struct{ file, old, new, want string }{
		"size":      {piecesFile, `{`, `{"<m>":0,`, "vocab.json: 288 entries, expected config.json's vocab_size of 287"},
		"rows":      {piecesFile, `"\u003cmask\u003e":286`, `"\u003cmask\u003e":287`, "vocab.json: the rows are not 0 to 286, each once"},
		"row twice": {piecesFile, `"\u003cmask\u003e":286`, `"\u003cmask\u003e":7`, "vocab.json: the rows are not 0 to 286, each once"},
		"special":   {piecesFile, `"\u003cunk\u003e"`, `"unk"`, "vocab.json: lacks <unk>, expected RoBERTa's special tokens"},
		"BERT's":    {piecesFile, `"\u003cmask\u003e"`, `"[SEP]"`, "vocab.json: has BERT's [SEP], expected RoBERTa's special tokens"},
		"JSON":      {piecesFile, "{", "[", "vocab.json: invalid character"},
		"merge":     {mergesFile, "h e", "h z", `merges.txt:3: "hz" is not in the vocabulary`},
		"parts":     {mergesFile, "h e", "h e e", "merges.txt:3: a merge of 3 parts, expected 2"},
		"settings":  {tokenizerFile, "{", "", "tokenizer_config.json: invalid character"},
		"padding":   {configFile, `"pad_token_id":1`, `"pad_token_id":25`, "max_position_embeddings is 26, expected 27 to"},
		"positions": {configFile, `"pad_token_id":1`, `"pad_token_id":20`, "room for 5 tokens, expected at least 6"},
		"no types":  {configFile, `"type_vocab_size":1`, `"type_vocab_size":0`, "type_vocab_size is 0, expected 1 to 16"},
	} {
		if got := refused(c.file, c.old, c.new); !strings.Contains(got, c.want) {
			t.Errorf("%s: error %q, want %q", name, got, c.want)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	for _, size := range []struct{ hidden, layers int }{{128, 2}, {384, 6}} {
		b.Run(fmt.Sprintf("%dx%d", size.layers, size.hidden), func(b *testing.B) {
			m := open(b, newTiny(b, size.hidden, size.layers).torch(b), Options{})
			pairs := make([]nli.Pair, 32)
			for i := range pairs {
				pairs[i] = testPairs[i%3]
			}
			for b.Loop() {
				classify(b, m, pairs)
			}
			b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
