package perturb

import (
	"cmp"
	_ "embed" // types.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
)

// FreeNames hands out names for columns and tables, each in the style of its neighbours. No name
// is one that the table, or the database, has already, in any case or with other separators.
type FreeNames struct {
	db     *dataset.Database
	taken  map[int]map[string]bool // by table: folded names of columns
	tables map[string]bool         // folded names of tables; nil before the first is asked for
}

// NewFreeNames returns the free names of a database.
func NewFreeNames(db *dataset.Database) *FreeNames {
	return &FreeNames{db: db, taken: map[int]map[string]bool{}}
}

// Take returns the identifier of a natural name for a column of the table and reserves it: "home
// town" becomes "Home_Town" in a table of such names. It returns false if nothing of the name is
// left or the name is taken.
func (n *FreeNames) Take(table int, natural string) (string, bool) {
	if n.taken[table] == nil {
		n.taken[table] = map[string]bool{}
		for _, c := range n.db.Tables[table].Columns {
			n.taken[table][foldName(c.Original)] = true
			n.taken[table][foldName(c.Name)] = true
		}
	}
	return reserve(n.taken[table], StyleOf(n.db, table).Identifier(natural))
}

// TakeTable returns the identifier of a natural name for a table and reserves it. It returns false if
// nothing of the name is left, if the name is taken, or if SQLite reserves it for its own tables.
func (n *FreeNames) TakeTable(natural string) (string, bool) {
	if n.tables == nil {
		n.tables = map[string]bool{}
		for _, t := range n.db.Tables {
			n.tables[foldName(t.Original)] = true
			n.tables[foldName(t.Name)] = true
		}
	}
	name := tableStyle(n.db).Identifier(natural)
	if IsReserved(name) {
		return "", false
	}
	return reserve(n.tables, name)
}

// reserve adds a name to the taken ones, which are folded. It returns false if the name is empty or
// taken.
func reserve(taken map[string]bool, name string) (string, bool) {
	if name == "" || taken[foldName(name)] {
		return "", false
	}
	taken[foldName(name)] = true
	return name, true
}

// tableStyle returns the style of a database's table names. It takes them for the column names of a
// made-up table 0.
func tableStyle(db *dataset.Database) Style {
	names := lists.Map(db.Tables, func(t dataset.Table) dataset.Column {
		return dataset.Column{Name: t.Name, Original: t.Original}
	})
	return StyleOf(&dataset.Database{Tables: slices.Insert(slices.Clone(db.Tables), 0, dataset.Table{Columns: names})}, 0)
}

// foldName makes names equal that differ in case and separators only: "e-mail" and "Email".
func foldName(name string) string {
	return notWord.ReplaceAllString(strings.ToLower(name), "")
}

// TypeOf returns the type of an added column c next to the column beside, by the first of these that applies: the
// type of its source; boolean for a name that begins as a question does ("is full time"); the type of the
// embedded cells for its name; text for a code next to a text; the type that the last known word of its name
// implies ("release date"); the type of beside, or text if that has none.
func TypeOf(c dataset.Candidate, beside dataset.Column) dataset.Type {
	if c.Type != "" {
		return c.Type
	}
	words := lexicon.Words(c.Name)
	if len(words) > 1 && slices.Contains([]string{"is", "has", "was", "can"}, words[0]) {
		return dataset.Boolean
	}
	if kind, ok := lexicon.DefaultCells().Like(c.Name); ok {
		return dataset.Type(kind.Type)
	}
	if isCode(c.Name) && beside.Type == dataset.Text {
		return beside.Type
	}
	for _, word := range slices.Backward(words) {
		if implied, ok := typeWords()[word]; ok {
			return implied
		}
	}
	return cmp.Or(beside.Type, dataset.Text)
}

//go:embed types.txt
var typeText string

// typeWords returns the types that words of column names imply.
var typeWords = sync.OnceValue(func() map[string]dataset.Type {
	types := map[string]dataset.Type{}
	for _, row := range wordfile.Rows(typeText, 2) {
		for word := range strings.FieldsSeq(row[1]) {
			types[word] = dataset.Type(row[0])
		}
	}
	return types
})
