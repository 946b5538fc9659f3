package cybertron

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/nlpodyssey/cybertron/pkg/models/bert"
	"github.com/nlpodyssey/cybertron/pkg/vocabulary"
	"github.com/nlpodyssey/spago/mat"
	"github.com/nlpodyssey/spago/nn"
	"github.com/nlpodyssey/spago/nn/embedding"
	"github.com/nlpodyssey/spago/nn/linear"
	"github.com/nlpodyssey/spago/nn/normalization/layernorm"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// classifier is the library's model, whose encoder masked models use too.
type classifier = bert.ModelForSequenceClassification

// slot is a tensor of the model, by its PyTorch name, with the parameters that it is stored in: one,
// or several with an equal part each (the heads of an attention, the rows of a table).
type slot struct {
	name          string
	rows, columns int // columns is 0 for a vector
	skippedRows   int // first rows of the file that the model does not have
	params        func(*classifier) []*nn.Param
}

// numbers returns the size of the tensor.
func (s slot) numbers() int { return s.rows * max(s.columns, 1) }

// source reads tensors from a file of weights.
type source interface {
	check(slot) error             // returns an error if the tensor is missing or has another shape
	read(slot) ([]float32, error) // returns the numbers of a tensor that check accepted
	close() error
}

// loadWeights returns the model that newModel allocates, with the weights of a file in its slots. It
// calls newModel only after the file was found to have them all.
func loadWeights(path string, slots []slot, terms []string, newModel func() *classifier) (_ *classifier, err error) {
	total, err := parameters(path, slots)
	if err != nil {
		return nil, err
	}
	var src source
	width := 2 // bytes of the smallest numbers that are read: float16
	if filepath.Base(path) == spagoFile {
		width = 4 // float32
		src, err = openSpago(path, width*total, terms)
	} else {
		src, err = openCheckpoint(path)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	if err := checkSlots(path, src, slots, width*total); err != nil { // a smaller file cannot have all numbers
		return nil, err
	}
	m := newModel()
	return m, readSlots(path, src, slots, m)
}

// parameters returns the number of parameters of slots, or an error if there are too many.
func parameters(path string, slots []slot) (int, error) {
	total := lists.Sum(slots, func(s slot) int { return s.numbers() })
	if total > maxParameters {
		return 0, fmt.Errorf("%s: config.json asks for %d parameters, expected at most %d", path, total, maxParameters)
	}
	return total, nil
}

// checkSlots returns an error unless src has every slot and the file has size bytes or more. It allocates nothing.
func checkSlots(path string, src source, slots []slot, size int) error {
	for _, s := range slots {
		if err := src.check(s); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return checkSize(path, size) // tensors may share their bytes, so that all of them fit into a tiny file
}

// readSlots copies the numbers of every slot from the source to the model. path is for messages.
func readSlots(path string, src source, slots []slot, m *classifier) error {
	for _, s := range slots {
		data, err := src.read(s)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := s.set(m, data); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// checkSize returns an error if a file has less than want bytes.
func checkSize(path string, want int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() < int64(want) {
		return fmt.Errorf("%s: %d bytes, expected at least %d for the sizes in config.json", path, info.Size(), want)
	}
	return nil
}

// set divides data, the numbers of the tensor without its skipped rows, equally among the slot's parameters. It rejects
// numbers that are not finite.
func (s slot) set(m *classifier, data []float32) error {
	for i, x := range data {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%s: number %d is %v, expected finite numbers", s.name, i, x)
		}
	}
	params := s.params(m)
	data = data[s.skippedRows*s.columns:]
	part := len(data) / len(params)
	for i, p := range params {
		mat.SetData[float32](p.Value(), data[i*part:(i+1)*part])
	}
	return nil
}

// newModel returns a classifier whose weights are 0.
func newModel(c *config, terms []string) *classifier {
	m := bert.NewModelForSequenceClassification[float32](newBase(c, terms))
	nn.ForEachParam(m, func(p *nn.Param) { p.SetRequiresGrad(false) })
	return m
}

// newBase returns an encoder whose weights are 0, with the epsilon of layer normalization and the activation of config.json
// instead of cybertron's. terms are the entries of the vocabulary.
func newBase(c *config, terms []string) *bert.Model {
	labels := make(map[string]string, len(c.labels))
	for i, l := range c.labels {
		labels[fmt.Sprint(i)] = string(l)
	}
	base := bert.New[float32](bert.Config{
		HiddenAct:             "identity", // replaced below
		HiddenSize:            c.HiddenSize,
		EmbeddingsSize:        c.HiddenSize,
		IntermediateSize:      c.IntermediateSize,
		MaxPositionEmbeddings: c.MaxPositions - c.unusedPositions(),
		NumAttentionHeads:     c.Heads,
		NumHiddenLayers:       c.Layers,
		TypeVocabSize:         c.TypeVocabSize,
		VocabSize:             c.VocabSize,
		ID2Label:              labels,
	})
	base.Embeddings.Vocab = vocabulary.New(terms)
	norms := []*layernorm.Model{base.Embeddings.Norm}
	for _, layer := range base.Encoder.Layers {
		norms = append(norms, layer.SelfAttention.Norm, layer.FF.Norm)
		layer.FF.MLP[1] = activations[c.HiddenAct]
	}
	for _, n := range norms {
		n.Eps = nn.Buf(mat.Scalar(float32(c.LayerNormEps)))
	}
	return base
}

// classifierSlots lists the tensors of a sequence classifier. RoBERTa's head computes what BERT's
// pooler and classifier compute, so its tensors have their places there.
func classifierSlots(c *config) []slot {
	h := c.HiddenSize
	slots := append(encoderSlots(c), linearSlots(c.family.dense, h, h, func(m *classifier) []*linear.Model {
		return []*linear.Model{m.Bert.Pooler.Model[0].(*linear.Model)}
	})...)
	return append(slots, linearSlots(c.family.out, len(c.labels), h, func(m *classifier) []*linear.Model {
		return []*linear.Model{m.Classifier}
	})...)
}

// encoderSlots lists the tensors of embeddings and layers.
func encoderSlots(c *config) []slot {
	h := c.HiddenSize
	slots := []slot{
		embeddingSlot(c.family.encoder+".embeddings.word_embeddings.weight", c.VocabSize, h, 0, func(m *classifier) *embedding.Model { return m.Bert.Embeddings.Tokens }),
		embeddingSlot(c.family.encoder+".embeddings.position_embeddings.weight", c.MaxPositions, h, c.unusedPositions(), func(m *classifier) *embedding.Model { return m.Bert.Embeddings.Positions }),
		embeddingSlot(c.family.encoder+".embeddings.token_type_embeddings.weight", c.TypeVocabSize, h, 0, func(m *classifier) *embedding.Model { return m.Bert.Embeddings.TokenTypes }),
	}
	slots = append(slots, normSlots(c.family.encoder+".embeddings.LayerNorm", h, func(m *classifier) *layernorm.Model { return m.Bert.Embeddings.Norm })...)
	for i := range c.Layers {
		slots = append(slots, layerSlots(c, i)...)
	}
	return slots
}

// layerSlots lists the tensors of layer i.
func layerSlots(c *config, i int) []slot {
	h, prefix := c.HiddenSize, fmt.Sprintf("%s.encoder.layer.%d.", c.family.encoder, i)
	layer := func(m *classifier) *bert.EncoderLayer { return m.Bert.Encoder.Layers[i] }
	// dense returns a function that gets a linear part of layer i of a classifier; get gets it from the layer.
	dense := func(get func(*bert.EncoderLayer) any) func(*classifier) []*linear.Model {
		return func(m *classifier) []*linear.Model { return []*linear.Model{get(layer(m)).(*linear.Model)} }
	}
	var slots []slot
	for k, name := range []string{"query", "key", "value"} {
		slots = append(slots, linearSlots(prefix+"attention.self."+name, h, h, func(m *classifier) (heads []*linear.Model) {
			for _, head := range layer(m).SelfAttention.Attention.Heads {
				heads = append(heads, []*linear.Model{head.Query, head.Key, head.Value}[k])
			}
			return heads
		})...)
	}
	slots = append(slots, linearSlots(prefix+"attention.output.dense", h, h,
		dense(func(l *bert.EncoderLayer) any { return l.SelfAttention.Attention.OutputMerge }))...)
	slots = append(slots, normSlots(prefix+"attention.output.LayerNorm", h,
		func(m *classifier) *layernorm.Model { return layer(m).SelfAttention.Norm })...)
	slots = append(slots, linearSlots(prefix+"intermediate.dense", c.IntermediateSize, h,
		dense(func(l *bert.EncoderLayer) any { return l.FF.MLP[0] }))...) // MLP[1] is the activation, without weights
	slots = append(slots, linearSlots(prefix+"output.dense", h, c.IntermediateSize,
		dense(func(l *bert.EncoderLayer) any { return l.FF.MLP[2] }))...)
	return append(slots, normSlots(prefix+"output.LayerNorm", h,
		func(m *classifier) *layernorm.Model { return layer(m).FF.Norm })...)
}

// embeddingSlot returns the slot of an embedding, a row for each entry after the skipped rows.
func embeddingSlot(name string, rows, columns, skippedRows int, get func(*classifier) *embedding.Model) slot {
	return slot{name: name, rows: rows, columns: columns, skippedRows: skippedRows, params: func(m *classifier) []*nn.Param { return get(m).Weights }}
}

// normSlots returns the slots of a layer normalization.
func normSlots(name string, size int, get func(*classifier) *layernorm.Model) []slot {
	return []slot{
		{name: name + ".weight", rows: size, params: func(m *classifier) []*nn.Param { return []*nn.Param{get(m).W} }},
		{name: name + ".bias", rows: size, params: func(m *classifier) []*nn.Param { return []*nn.Param{get(m).B} }},
	}
}

// linearSlots returns the slots of a linear layer from in to out numbers. If get returns several layers, such as the
// heads of an attention, each holds an equal part of the rows.
func linearSlots(name string, out, in int, get func(*classifier) []*linear.Model) []slot {
	params := func(pick func(*linear.Model) *nn.Param) func(*classifier) []*nn.Param {
		return func(m *classifier) []*nn.Param { return lists.Map(get(m), pick) }
	}
	return []slot{
		{name: name + ".weight", rows: out, columns: in, params: params(func(l *linear.Model) *nn.Param { return l.W })},
		{name: name + ".bias", rows: out, params: params(func(l *linear.Model) *nn.Param { return l.B })},
	}
}
