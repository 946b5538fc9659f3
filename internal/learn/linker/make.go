package linker

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// Recipe is what a linker is made from, and how.
type Recipe struct {
	Data, Split string // for messages and the card
	Licence     string // of the data, for the card; "" for unknown
	Options     Options
	Folds       int // of a cross-validation before; 0 for none
	Lexicon     Lexicon
	Workers     int
	Start       func(epochs int) (step, done func()) // shows progress
	Report      func(error)                          // receives examples that cannot be used
}

// Made describes a linker that was made.
type Made struct {
	Questions int    `json:"questions"`
	Databases int    `json:"databases"`
	Folds     []Row  `json:"folds,omitempty"` // of the cross-validation
	Bytes     int    `json:"bytes"`
	Out       string `json:"out"`
}

// Make trains a linker on units and writes it to the file out.
func (r *Recipe) Make(ctx context.Context, units []*dataset.Unit, out string) (*Made, error) {
	examples, err := Prepare(ctx, units, r.Lexicon, r.Workers, r.Report)
	if err != nil {
		return nil, err
	}
	if len(examples) == 0 {
		return nil, fmt.Errorf("%s: has no gold SQL to learn from in its split %s, expected some", r.Data, r.Split)
	}
	m := &Made{Questions: len(examples), Databases: Originals(examples), Out: out}
	step, done := r.Start(r.Options.Epochs * r.Options.Networks * (1 + r.Folds))
	defer done()
	if r.Folds > 0 {
		if m.Folds, err = CrossValidate(ctx, examples, r.Options, r.Folds, step); err != nil {
			return nil, err
		}
	}
	model, err := Train(ctx, examples, r.Options, step)
	if err != nil {
		return nil, err
	}
	model.Card = r.card(m)
	data, err := model.Encode()
	if err != nil {
		return nil, err
	}
	m.Bytes = len(data)
	return m, outdir.WriteFile(out, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// card describes what a linker was made from, without paths of the machine.
func (r *Recipe) card(m *Made) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# A schema linker of tabperturb\n\nTrained on %d questions over %d databases: the split %s of %s.\nLicence of the data: %s.\n\n",
		m.Questions, m.Databases, r.Split, filepath.Base(filepath.Clean(r.Data)), cmp.Or(r.Licence, "unknown"))
	fmt.Fprintf(&b, "Seed %d, %d epochs, %d networks. For a question and a schema it gives the probability that\nthe gold SQL uses each table and column. It holds words that several questions or databases\nhave, and network weights; no question and no cell.\n",
		r.Options.Seed, r.Options.Epochs, r.Options.Networks)
	if len(m.Folds) > 0 {
		fmt.Fprintf(&b, "\nOn databases that it had not seen (%d folds):\n\n", r.Folds)
		_ = WriteTable(&b, m.Folds)
	}
	return b.String()
}

// WriteText writes the description for people.
func (m *Made) WriteText(w io.Writer) error {
	if len(m.Folds) > 0 {
		if err := WriteTable(w, m.Folds); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s on %s\nwrote %s, %d bytes\n", table.Count(m.Questions, "question"), table.Count(m.Databases, "database"), m.Out, m.Bytes)
	return err
}
