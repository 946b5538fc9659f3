package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

var (
	identifier = lazyregexp.New(`[\pL\pN]*_[\pL\pN_]*`)
	dotted     = lazyregexp.New(`([\pL_][\pL\pN_]*)\.([\pL_][\pL\pN_]*)`)
	alias      = lazyregexp.New(`^[Tt][0-9]$`)
	sqlWord    = lazyregexp.New(`\b(?:SELECT|FROM|WHERE|JOIN|GROUP BY|ORDER BY|HAVING|LIMIT|DISTINCT|UNION|INTERSECT|EXCEPT|BETWEEN|COUNT|SUM|AVG|MAX|MIN|ASC|DESC|NULL|LIKE)\b|\(\*\)`)
	// label matches what prompts and their answers call their parts.
	label  = lazyregexp.New(`(?i)\b(?:mentioned|sentence|paraphrase|explanation|question|answer|sql|query|output) ?:`)
	markup = lazyregexp.New("```|\\*\\*|__|[{}]|\\]\\(|\"[a-z_]+\" ?:|^(?:[-*>#]+|[0-9]+[.)]) ")
)

// malformed reports whether a draft is no question that people would ask: it is empty, too long, of several lines, or has SQL,
// the labels of a prompt or markup that the question lacks.
func malformed(db *dataset.Database, question, draft string) bool {
	switch {
	case draft == "", len(draft) > min(maxQuestion, 2*len(question)+maxGrowth), !utf8.ValidString(draft), strings.ContainsFunc(draft, unicode.IsControl):
		return true
	}
	isNew := func(found string) bool { return !strings.Contains(question, found) }
	for _, marks := range []*lazyregexp.Regexp{identifier, sqlWord, label, markup} {
		if slices.ContainsFunc(marks.FindAllString(draft, -1), isNew) {
			return true
		}
	}
	return slices.ContainsFunc(dotted.Compiled().FindAllStringSubmatch(draft, -1), func(m []string) bool {
		isColumn := alias.MatchString(m[1]) || hasColumn(db, m[1], m[2])
		return isColumn && isNew(m[0])
	})
}

// hasColumn reports whether a table of the schema, by its name in SQL, has the column.
func hasColumn(db *dataset.Database, table, column string) bool {
	return slices.ContainsFunc(db.Tables, func(t dataset.Table) bool {
		return strings.EqualFold(t.Original, table) && slices.ContainsFunc(t.Columns, func(c dataset.Column) bool { return strings.EqualFold(c.Original, column) })
	})
}
