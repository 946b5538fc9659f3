package wikisql

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// TableName returns the name of a table in WikiSQL's .db: "table_1_10015132_11" for the
// table "1-10015132-11" (lib/dbengine.py).
func TableName(id string) string {
	if strings.HasPrefix(id, "table") {
		return id
	}
	return "table_" + strings.ReplaceAll(id, "-", "_")
}

// validID tells whether a table's id makes a name that SQL can have without quotes, for
// that is how WikiSQL's evaluator writes it.
func validID(id string) bool {
	return id != "" && len(id) <= 200 && strings.IndexFunc(id, func(r rune) bool {
		return r > unicode.MaxASCII || r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
}

// newTable returns a table with columns of these headers, all of them text.
func newTable(id string, headers []string) dataset.Table {
	t := dataset.Table{Name: "table", Original: TableName(id)}
	seen := map[string]bool{}
	for i, header := range headers {
		c := dataset.Column{Name: natural(header, i), Original: identifier(header, i), Type: dataset.Text}
		for n := 2; seen[c.Original]; n++ {
			c.Original = fmt.Sprintf("%s_%d", identifier(header, i), n)
		}
		seen[c.Original] = true
		if header != c.Name {
			c.Header = header
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// natural returns the header in lower-case words, as ADVETA's files have it; a column
// without any is called by its position.
func natural(header string, column int) string {
	if name := strings.ToLower(strings.Join(strings.Fields(header), " ")); name != "" {
		return name
	}
	return fmt.Sprintf("column %d", column+1)
}

// sqlNames are the SQL names of a table: what is held of every table of a split, for
// its questions.
type sqlNames struct {
	table   string
	columns []string
}

func sqlNamesOf(t *dataset.Table) sqlNames {
	n := sqlNames{table: t.Original, columns: make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		n.columns[i] = c.Original
	}
	return n
}

// database returns a schema that knows nothing but the names.
func (n sqlNames) database(id string) *dataset.Database {
	columns := make([]dataset.Column, len(n.columns))
	for i, name := range n.columns {
		columns[i].Original = name
	}
	return &dataset.Database{ID: id, Tables: []dataset.Table{{Original: n.table, Columns: columns}}}
}

// signs are what of a header is no letter and yet a word.
var signs = strings.NewReplacer("%", " percent ", "#", " number ", "&", " and ", "'", "", "’", "")

// identifier returns a name for SQL made of a header: lower-case words of ASCII letters
// and digits, no keyword and no word that Spider's parser takes for a function.
func identifier(header string, column int) string {
	words := strings.FieldsFunc(norm.NFD.String(signs.Replace(strings.ToValidUTF8(header, ""))), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
	kept := words[:0]
	for _, w := range words {
		w = strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII {
				return -1
			}
			return unicode.ToLower(r)
		}, w)
		if w != "" {
			kept = append(kept, w)
		}
	}
	name := strings.Join(kept, "_")
	if len(name) > maxIdentifier {
		name = strings.TrimRight(name[:maxIdentifier], "_")
	}
	switch {
	case name == "":
		return fmt.Sprintf("column_%d", column+1)
	case name[0] <= '9':
		name = "n_" + name
	}
	if taken(name) {
		name += "_"
	}
	return name
}

// maxIdentifier bounds a name that is made of a header, in bytes.
const maxIdentifier = 60

// taken tells whether a word has a meaning in SQL or to Spider's official parser.
func taken(name string) bool {
	switch name {
	case "none", "max", "min", "count", "sum", "avg", "rowid", "oid":
		return true
	}
	return sqlast.NewIdent(name).Quote != 0
}
