package question

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// spokenOf returns the mentions that a paraphraser gets with a question (the "mentioned SQL tokens" of appendix A.2):
// all keywords and values, and the columns that the question names. They are the same for each category.
func spokenOf(db *dataset.Database, a *indicator.Alignment) []perturb.Mention {
	var out []perturb.Mention
	for _, m := range a.Mentions {
		if m.Kind != indicator.Table && !(m.Kind == indicator.Column && m.Implied()) {
			out = append(out, perturb.Mention{Kind: m.Kind.String(), Text: m.Text, Stands: meaningOf(db, m)})
		}
	}
	return out
}

// meaningOf returns the SQL of a mention: "count(*)", "singer.name", "'France' of singer.country".
func meaningOf(db *dataset.Database, m indicator.Mention) string {
	column := "*"
	if m.Column.Table >= 0 {
		column = db.Tables[m.Column.Table].Original + "." + db.Column(m.Column).Original
	}
	switch m.Kind {
	case indicator.Table:
		return db.Tables[m.Table].Original
	case indicator.Column:
		return column
	case indicator.Value:
		if column == "*" {
			return fmt.Sprintf("'%s'", m.Value)
		}
		return fmt.Sprintf("'%s' of %s", m.Value, column)
	}
	switch m.Keyword {
	case "count", "sum", "avg", "max", "min":
		return m.Keyword + "(" + column + ")"
	case "asc", "desc", "asc limit", "desc limit":
		if m.Op != "" {
			column = m.Op + "(" + column + ")"
		}
		return "ORDER BY " + column + " " + strings.ToUpper(m.Keyword)
	case "distinct":
		return "DISTINCT"
	}
	return column + " " + m.Keyword + " " + m.Value
}
