package cybertron

import (
	"fmt"
	"slices"

	"github.com/nlpodyssey/spago/nn"
)

// spago is a model in cybertron's own form as a source of weights.
type spago struct {
	model *classifier
	terms []string
}

// openSpago decodes the model in a file, which must have at least size bytes.
func openSpago(path string, size int, terms []string) (_ *spago, err error) {
	if err := checkSize(path, size); err != nil {
		return nil, err
	}
	defer func() { // the decoder panics on damaged matrices
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: malformed: %v", path, r)
		}
	}()
	m, err := nn.LoadFromFile[*classifier](path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, expected a BERT sequence classifier of cybertron", path, err)
	}
	return &spago{m, terms}, nil
}

// close implements [source].
func (s *spago) close() error { return nil }

// check implements [source]. It compares the sizes of each part and of the whole tensor, as parts may be missing.
func (s *spago) check(sl slot) (err error) {
	defer func() { // a part of the model may be nil
		if recover() != nil {
			err = fmt.Errorf("lacks %s, expected a BERT sequence classifier", sl.name)
		}
	}()
	params := sl.params(s.model)
	size := 0
	for i, p := range params {
		if p.Value().Size() != sl.numbers()/len(params) {
			return fmt.Errorf("part %d of %s has %d numbers, expected %d after config.json", i, sl.name, p.Value().Size(), sl.numbers()/len(params))
		}
		size += p.Value().Size()
	}
	if size != sl.numbers() {
		return fmt.Errorf("%s has %d numbers, expected %d after config.json", sl.name, size, sl.numbers())
	}
	if sl.name == "bert.embeddings.word_embeddings.weight" {
		return s.checkVocabulary(params)
	}
	return nil
}

// checkVocabulary returns an error if the word pieces differ from vocab.txt, or if an
// embedding is empty, as cybertron's converter leaves some. That of padding may be empty, as
// it is never looked up.
func (s *spago) checkVocabulary(rows []*nn.Param) error {
	items := s.model.Bert.Embeddings.Vocab.Items()
	for i, row := range rows {
		if i >= len(items) || items[i] != s.terms[i] {
			return fmt.Errorf("vocabulary differs from vocab.txt at entry %d, expected %q", i, s.terms[i])
		}
		empty := !slices.ContainsFunc(row.Value().Data().F32(), func(x float32) bool { return x != 0 })
		if empty && s.terms[i] != "[PAD]" {
			return fmt.Errorf("the embedding of %q (row %d) is empty, as cybertron's converter leaves the last one; expected %s in the folder to read instead", s.terms[i], i, torchFile)
		}
	}
	return nil
}

// read implements [source]. It joins the numbers of the parameters that the tensor of the slot is stored in.
func (s *spago) read(sl slot) ([]float32, error) {
	data := make([]float32, 0, sl.numbers())
	for _, p := range sl.params(s.model) {
		data = append(data, p.Value().Data().F32()...)
	}
	return data, nil
}
