package folder

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// firstAlternative returns the first of the alternatives of gold SQL in defog's form, where a semicolon and another SELECT separate
// whole queries, and braces hold columns any of which may be selected. It keeps all columns in braces, and {} repeats the
// last list: "SELECT id, name FROM t GROUP BY id, name" for "SELECT {id, name} FROM t GROUP BY {}; SELECT name FROM t". Other gold
// SQL is returned as it is.
func firstAlternative(sql string) string {
	var first strings.Builder
	var quote rune  // that of the string or name that is open
	var list string // the last list in braces
	begin := -1     // of the list that is open, in first
	for i, r := range sql {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'', r == '"':
			quote = r
		case r == '{':
			begin = first.Len()
			continue
		case r == '}' && begin >= 0:
			if inner := first.String()[begin:]; strings.TrimSpace(inner) != "" {
				list = inner
			} else {
				first.WriteString(list)
			}
			begin = -1
			continue
		case first.Len() > maxField: // a long list, many times
			return sql
		case r == ';' && goldPattern.MatchString(sql[i+1:]):
			return strings.TrimSpace(first.String())
		}
		first.WriteRune(r)
	}
	return first.String()
}

// alternativesNoted returns the examples of a file, and reports how many have further answers that are left out.
func (c *contents) alternativesNoted(file string, examples dataset.Stream[*dataset.Example]) dataset.Stream[*dataset.Example] {
	return func(report func(error), each func(*dataset.Example) error) error {
		c.alternatives = 0
		err := examples(report, each)
		if err == nil && c.alternatives > 0 {
			report(dataset.Note(fmt.Errorf("%s: of gold SQL with alternatives the first is used, with all columns in braces: %d of its questions", file, c.alternatives)))
		}
		return err
	}
}
