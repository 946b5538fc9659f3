package question

import (
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/drspider/indicator"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb"
)

// mentions returns what a paraphraser is told to change: the elements of the
// category's kind (the "mentioned SQL tokens" of appendix A.2).
func (c category) mentions(db *dataset.Database, a *indicator.Alignment) []perturb.Mention {
	var out []perturb.Mention
	for _, m := range a.Mentions {
		wanted := false
		switch c.name {
		case indicator.KeywordSynonym, indicator.KeywordCarrier:
			wanted = m.Kind == indicator.Keyword
		case indicator.ColumnSynonym, indicator.ColumnCarrier, indicator.ColumnAttribute:
			wanted = m.Kind == indicator.Column && !m.Implied()
		case indicator.ColumnValue:
			wanted = m.Kind == indicator.Value && m.Column.Table >= 0
		case indicator.ValueSynonym:
			wanted = m.Kind == indicator.Value
		case indicator.Multitype:
			wanted = m.Kind != indicator.Table && !m.Implied()
		}
		if wanted {
			out = append(out, perturb.Mention{Kind: m.Kind.String(), Text: m.Text, Stands: stands(db, m)})
		}
	}
	return out
}

// stands says what a mention stands for: "count(*)", "singer.name", "'France' of
// singer.country".
func stands(db *dataset.Database, m indicator.Mention) string {
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
