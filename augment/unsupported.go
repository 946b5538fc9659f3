package augment

import (
	"fmt"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// rejectUnsupported rejects the ADD names that neither the table nor public tables bear out. Judges refused most names of these
// classes on tables that nothing was developed on.
func (a *Augmenter) rejectUnsupported(t *dataset.Table, names []Judged) {
	for i := range names {
		j := &names[i]
		if j.Decision.Side != dataset.Add || j.Side != dataset.Add {
			continue
		}
		if reason := unsupportedKey(t, j); reason != "" {
			j.reject("%s", reason)
		} else if a.retrieves() && isUnseen(j) {
			j.reject("no public table has it beside the column")
		}
	}
}

// isUnseen reports whether nothing but the name of column or table speaks for a name: the sense of the column has no cue in the table and
// no public table has both, or no public table has the attribute of the entity beside any column of the table.
func isUnseen(j *Judged) bool {
	if j.Source == dataset.AttributesSource {
		return j.fit.Columns == 0
	}
	return j.Default && j.together == 0
}

// unsupportedKey returns why a key cannot be added beside a key of a table that is hardly more than keys; "" where it can.
func unsupportedKey(t *dataset.Table, j *Judged) string {
	if !isKey(t.Columns[j.Column].Name) || !isKey(j.Name) {
		return ""
	}
	if n := describing(t); n <= fewDescribing {
		return fmt.Sprintf("is one more key of a table with %d other columns", n)
	}
	return ""
}

// fewDescribing is the number of columns that describe the rows up to which a table is one of keys: it joins other tables, or lists
// what they refer to. Another key there is one of a thing that the table says nothing of.
const fewDescribing = 2

// describing counts the columns of a table that describe its rows: those that are neither keys nor times nor flags.
func describing(t *dataset.Table) int {
	return lists.Count(t.Columns, func(c dataset.Column) bool {
		return !isKey(c.Name) && c.Type != dataset.Time && c.Type != dataset.Boolean
	})
}

// keyName matches the names of keys: "author id", and "aid" for it.
var keyName = lazyregexp.New(`(^| )[a-z]?id$`)

// isKey reports whether a column is a key by its name.
func isKey(name string) bool { return keyName.MatchString(lexicon.Normal(name)) }
