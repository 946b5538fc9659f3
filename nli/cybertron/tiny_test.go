package cybertron

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/cybertron/pkg/models/bert"
	"github.com/nlpodyssey/cybertron/pkg/vocabulary"
	"github.com/nlpodyssey/spago/nn"
)

// tiny is a random BERT or RoBERTa small enough to write into a test's folder.
type tiny struct {
	config    map[string]any
	tokenizer map[string]any
	vocab     []string
	merges    []string             // of a RoBERTa
	state     map[string][]float32 // by PyTorch name
	layout    []slot
}

func newTiny(tb testing.TB, hidden, layers int) *tiny {
	tb.Helper()
	vocab := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "(", ")", "-", "[", "]", "."}
	vocab = append(vocab, strings.Fields("dog name title age birth date of text number sep cls film cafe year")...)
	for c := 'a'; c <= 'l'; c++ {
		vocab = append(vocab, string(c), "##"+string(c))
	}
	vocab = append(vocab, "last")
	t := &tiny{
		vocab: vocab,
		config: map[string]any{
			"model_type": "bert", "architectures": []string{"BertForSequenceClassification"},
			"hidden_act": "gelu", "hidden_size": hidden, "intermediate_size": 2 * hidden, "layer_norm_eps": 1e-3,
			"max_position_embeddings": 24, "num_attention_heads": 2, "num_hidden_layers": layers,
			"position_embedding_type": "absolute", "type_vocab_size": 2, "vocab_size": len(vocab),
			"id2label": map[string]string{"0": "CONTRADICTION", "1": "entailment", "2": "Neutral"},
		},
		tokenizer: map[string]any{"do_lower_case": true, "model_max_length": 1e30},
	}
	t.randomize(tb)
	return t
}

// newTinyRoBERTa is [newTiny] with RoBERTa's names, positions and vocabulary.
func newTinyRoBERTa(tb testing.TB, hidden, layers int) *tiny {
	tb.Helper()
	t := newTiny(tb, hidden, layers)
	t.vocab = []string{"<s>", "<pad>", "</s>", "<unk>"}
	symbols := byteSymbols()
	t.vocab = append(t.vocab, symbols[:]...)
	t.merges = strings.Split("Ġ t,h e,i n,r e,o n,Ġt he,e r,Ġ d,o g,d og,Ġd og,a m,am e,n ame,Ġ n,Ġn ame,Ġ (,t e,x t,te xt,' s,Ã ©,i t,t it,l e,tit le", ",")
	for _, m := range t.merges {
		if piece := strings.ReplaceAll(m, " ", ""); !slices.Contains(t.vocab, piece) {
			t.vocab = append(t.vocab, piece)
		}
	}
	t.vocab = append(t.vocab, "<mask>")
	maps.Copy(t.config, map[string]any{
		"model_type": "roberta", "architectures": []string{"RobertaForSequenceClassification"},
		"max_position_embeddings": 26, "pad_token_id": 1, "type_vocab_size": 1, "vocab_size": len(t.vocab),
		"id2label": map[string]string{"0": "CONTRADICTION", "1": "NEUTRAL", "2": "ENTAILMENT"},
	})
	t.tokenizer = map[string]any{"model_max_length": 512}
	t.randomize(tb)
	return t
}

// randomize gives the tensors of the configuration random numbers.
func (t *tiny) randomize(tb testing.TB) {
	tb.Helper()
	t.state = map[string][]float32{}
	t.layout = classifierSlots(t.parsed(tb))
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range t.layout {
		data := make([]float32, s.numbers())
		for i := range data {
			data[i] = float32(rng.NormFloat64() * 0.4)
			if strings.HasSuffix(s.name, "LayerNorm.weight") {
				data[i]++
			}
		}
		t.state[s.name] = data
	}
}

// parsed returns the configuration as Open reads it.
func (t *tiny) parsed(tb testing.TB) *config {
	tb.Helper()
	dir := tb.TempDir()
	t.writeText(tb, dir)
	c, err := readConfig(dir, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func (t *tiny) writeText(tb testing.TB, dir string) {
	tb.Helper()
	for name, v := range map[string]any{configFile: t.config, tokenizerFile: t.tokenizer} {
		b, err := json.Marshal(v)
		if err != nil {
			tb.Fatal(err)
		}
		write(tb, filepath.Join(dir, name), b)
	}
	if t.merges == nil {
		write(tb, filepath.Join(dir, vocabFile), []byte(strings.Join(t.vocab, "\n")+"\n"))
		return
	}
	write(tb, filepath.Join(dir, piecesFile), t.pieces(tb))
	write(tb, filepath.Join(dir, mergesFile), []byte("#version: 0.2\n"+strings.Join(t.merges, "\n")+"\n"))
}

// pieces is the vocabulary as vocab.json has it.
func (t *tiny) pieces(tb testing.TB) []byte {
	tb.Helper()
	rows := map[string]int{}
	for i, piece := range t.vocab {
		rows[piece] = i
	}
	b, err := json.Marshal(rows)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// folder writes the folder with one file of weights.
func (t *tiny) folder(tb testing.TB, name string, data []byte) string {
	tb.Helper()
	dir := tb.TempDir()
	t.writeText(tb, dir)
	write(tb, filepath.Join(dir, name), data)
	return dir
}

// torch writes the folder with a pytorch_model.bin.
func (t *tiny) torch(tb testing.TB) string {
	tb.Helper()
	return t.folder(tb, torchFile, t.zip(tb, "torch.FloatStorage"))
}

// spago writes the folder with a spago_model.bin, as cybertron keeps it.
func (t *tiny) spago(tb testing.TB, adapt func(*classifier)) string {
	tb.Helper()
	dir := tb.TempDir()
	t.writeText(tb, dir)
	c := t.parsed(tb)
	base := bert.New[float32](bert.Config{
		HiddenAct: "gelu", HiddenSize: c.HiddenSize, EmbeddingsSize: c.HiddenSize, IntermediateSize: c.IntermediateSize,
		MaxPositionEmbeddings: c.MaxPositions, NumAttentionHeads: c.Heads, NumHiddenLayers: c.Layers,
		TypeVocabSize: c.TypeVocabSize, VocabSize: c.VocabSize, ID2Label: c.ID2Label,
	})
	base.Embeddings.Vocab = vocabulary.New(t.vocab)
	m := bert.NewModelForSequenceClassification[float32](base)
	for _, s := range t.layout {
		if err := s.set(m, t.state[s.name]); err != nil {
			tb.Fatal(err)
		}
	}
	if adapt != nil {
		adapt(m)
	}
	if err := nn.DumpToFile(m, filepath.Join(dir, spagoFile)); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func write(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		tb.Fatal(err)
	}
}

// names returns the names of the state in a fixed order.
func (t *tiny) names() []string {
	var names []string
	for _, s := range t.layout {
		if _, ok := t.state[s.name]; ok {
			names = append(names, s.name)
		}
	}
	return names
}

// encode writes numbers as a type of storage: exactly, or as zeros if it is none of floating point.
func encode(tb testing.TB, kind string, data []float32) (out []byte) {
	tb.Helper()
	for _, x := range data {
		bits := math.Float32bits(x)
		switch kind {
		case "torch.FloatStorage", "F32":
			out = binary.LittleEndian.AppendUint32(out, bits)
		case "torch.BFloat16Storage", "BF16":
			out = binary.LittleEndian.AppendUint16(out, uint16(bits>>16))
		case "torch.HalfStorage", "F16":
			if x != 0 {
				bits = bits>>16&0x8000 | (bits>>23&0xff-112)<<10 | bits>>13&0x3ff
			}
			out = binary.LittleEndian.AppendUint16(out, uint16(bits))
		default:
			out = append(out, make([]byte, storageWidth[kind])...)
		}
	}
	return out
}

// safetensors writes the state as safetensors does, with a tensor beside it that no model reads.
func (t *tiny) safetensors(tb testing.TB, kind string) []byte {
	tb.Helper()
	header := map[string]any{
		"__metadata__": map[string]string{"format": "pt"},
		"position_ids": safetensor{Kind: "I64", Shape: []int64{1, 2}, Offsets: [2]int64{0, 16}},
	}
	data := make([]byte, 16)
	for _, s := range t.layout {
		numbers, ok := t.state[s.name]
		if !ok {
			continue
		}
		shape := []int64{int64(s.rows), int64(s.columns)}
		if s.columns == 0 {
			shape = shape[:1]
		}
		raw := encode(tb, kind, numbers)
		header[s.name] = safetensor{Kind: kind, Shape: shape, Offsets: [2]int64{int64(len(data)), int64(len(data) + len(raw))}}
		data = append(data, raw...)
	}
	b, err := json.Marshal(header)
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(b))), b, data)
}

// zip writes the state as torch.save does today.
func (t *tiny) zip(tb testing.TB, kind string) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, data []byte) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			tb.Fatal(err)
		}
	}
	add("archive/data.pkl", t.statePickle(kind, false))
	add("archive/byteorder", []byte("little"))
	for i, name := range t.names() {
		add(fmt.Sprint("archive/data/", i), encode(tb, kind, t.state[name]))
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// legacy writes the state as torch.save did before version 1.6.
func (t *tiny) legacy(tb testing.TB) []byte {
	tb.Helper()
	magic, _ := new(big.Int).SetString(torchMagic, 16)
	digits := magic.Bytes()
	slices.Reverse(digits)
	out := append([]byte{0x80, 2, 0x8a, byte(len(digits))}, digits...)
	out = append(out, '.', 0x80, 2, 'M', 0xe9, 3, '.', 0x80, 2, '}', '.')
	out = append(out, t.statePickle("torch.FloatStorage", true)...)
	out = append(out, 0x80, 2, ']', '(')
	for i := range t.names() {
		out = putText(out, fmt.Sprint(i))
	}
	out = append(out, 'e', '.')
	for _, name := range t.names() {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(t.state[name])))
		out = append(out, encode(tb, "torch.FloatStorage", t.state[name])...)
	}
	return out
}

// statePickle writes an ordered dictionary of tensors, storage i for the i-th.
func (t *tiny) statePickle(kind string, legacy bool) []byte {
	module, class, _ := strings.Cut(kind, ".")
	out := append([]byte{0x80, 2}, "ccollections\nOrderedDict\n)Rq\x00("...)
	shapes := map[string]slot{}
	for _, s := range t.layout {
		shapes[s.name] = s
	}
	for i, name := range t.names() {
		s := shapes[name]
		out = putText(out, name)
		out = append(out, "ctorch._utils\n_rebuild_tensor_v2\n(("...)
		out = putText(out, "storage")
		out = append(out, "c"+module+"\n"+class+"\n"...)
		out = putText(out, fmt.Sprint(i))
		out = putText(out, "cpu")
		out = putInt(out, s.numbers())
		if legacy {
			out = append(out, 'N')
		}
		out = append(out, "tQK\x00"...)
		if s.columns == 0 {
			out = putInt(out, s.rows)
			out = append(out, 0x85, 'K', 1, 0x85)
		} else {
			out = putInt(putInt(out, s.rows), s.columns)
			out = append(out, 0x86)
			out = append(putInt(out, s.columns), 'K', 1, 0x86)
		}
		out = append(out, 0x89)
		out = append(out, "ccollections\nOrderedDict\n)RtR"...)
	}
	return append(out, "u}"+"b."...)
}

func putText(out []byte, s string) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, 'X'), uint32(len(s)))
	return append(out, s...)
}

func putInt(out []byte, n int) []byte {
	return binary.LittleEndian.AppendUint32(append(out, 'J'), uint32(n))
}
