package question

import (
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/link"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
)

// foreign finds paraphrases that name something of the schema that neither the
// question nor its gold SQL does. The factuality model does not know the schema:
// to it the name of a sister column may be a good synonym.
type foreign struct {
	linker  link.Linker
	db      *dataset.Database
	allowed map[string]bool // keys of names
}

func newForeign(db *dataset.Database, ex *perturb.Example) *foreign {
	f := &foreign{link.Exact(db), db, map[string]bool{}}
	for _, name := range f.names(ex.Question) {
		f.allowed[name] = true
	}
	for _, ref := range ex.Own {
		f.allowed[lexicon.Key(db.Column(ref).Name)] = true
	}
	for _, table := range ex.Binding.Tables() {
		if t := db.Table(table); t >= 0 {
			f.allowed[lexicon.Key(db.Tables[t].Name)] = true
		}
	}
	return f
}

// in reports whether the paraphrase names such a thing.
func (f *foreign) in(paraphrase string) bool {
	return slices.ContainsFunc(f.names(paraphrase), func(name string) bool { return !f.allowed[name] })
}

// names returns the keys of the names that a question holds whole.
func (f *foreign) names(question string) []string {
	var tokens, names []string
	for _, t := range english.Tokens(question) {
		tokens = append(tokens, question[t.Start:t.End])
	}
	for _, s := range f.linker.Link(tokens) {
		name := f.db.Tables[s.Item.Table].Name
		if !s.Item.IsTable() {
			name = f.db.Tables[s.Item.Table].Columns[s.Item.Column].Name
		}
		names = append(names, lexicon.Key(name))
	}
	return names
}
