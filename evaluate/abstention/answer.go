package abstention

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate"
	"github.com/tabperturb/tabperturb/evaluate/extract"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Refusal is how an answer refuses; "" for one that does not.
type Refusal string

// The refusals, in the order in which they are looked for.
const (
	Phrase   Refusal = "set phrase" // the answer matches the expression that the caller gives
	Empty    Refusal = "empty"      // nothing, or comments alone
	Null     Refusal = "NULL"       // NULL, none or n/a without SQL
	Constant Refusal = "constant"   // SQL that shows NULL, or a text and reads no table
	Prose    Refusal = "prose"      // text without SQL
)

var (
	null = lazyregexp.New(`(?i)^(?:null|none|nil|n/?a)$`)
	// sql matches the beginning of SQL, which may be wrong further on. A sentence may begin with "with" or "update".
	sql = lazyregexp.New(`(?i)^[\s(]*(?:SELECT\s|WITH\s+(?:RECURSIVE\s+)?\S+\s*(?:\([^)]*\)\s*)?AS\s*\(|VALUES\s*\(|(?:ALTER|CREATE|DROP)\s+(?:TABLE|VIEW|INDEX)\s|DELETE\s+FROM\s|(?:INSERT|REPLACE)\s+INTO\s|UPDATE\s+\S+\s+SET\s|PRAGMA\s|EXPLAIN\s)`)
)

// answer is what a model wrote to a question: a refusal, or SQL.
type answer struct {
	refusal Refusal
	query   *sqlast.Query // nil for a refusal, and for SQL that does not parse
}

// read classifies the prediction for a question on the database db as SQL or as one of the refusals. A prediction that
// matches phrase, which may be nil, is a refusal whatever else it holds.
func read(prediction, db string, phrase *regexp.Regexp) answer {
	if phrase != nil && phrase.MatchString(prediction) {
		return answer{refusal: Phrase}
	}
	text, _ := evaluate.ExtractSQL(prediction, db)
	text = strings.Trim(extract.OneLine(text), " ;")
	switch {
	case text == "":
		return answer{refusal: Empty}
	case null.MatchString(strings.Trim(text, "`\"'.[]()")):
		return answer{refusal: Null}
	}
	q, err := sqlast.Parse(text)
	switch {
	case err == nil && isConstant(q):
		return answer{refusal: Constant}
	case err == nil:
		return answer{query: q}
	case sql.MatchString(text): // wrong SQL, or a statement that is no query, refuses nothing
		return answer{}
	}
	if q, err := sqlast.Parse("SELECT " + text); err == nil && len(q.Select.From) > 0 { // models continue a prompt that ends in SELECT
		return answer{query: q}
	}
	return answer{refusal: Prose}
}

// isConstant reports whether a query has only constants, as from a model that refuses: from a table only NULL, as in SELECT
// NULL FROM singer; without a table NULL or text, as in SELECT 'no such column'. A number, as in SELECT 0, is an answer.
func isConstant(q *sqlast.Query) bool {
	if len(q.Select.Columns) == 0 || len(q.Compound) > 0 {
		return false
	}
	readsTable := len(q.Select.From) > 0
	return !slices.ContainsFunc(q.Select.Columns, func(c *sqlast.ResultColumn) bool {
		switch e := c.Expr.(type) {
		case *sqlast.Literal:
			return e.Kind != sqlast.NullLiteral && (readsTable || e.Kind != sqlast.StringLiteral)
		case *sqlast.ColumnRef: // a text in double quotes
			return readsTable || e.Column.Quote != '"'
		}
		return true
	})
}

// missingNames returns the names in a query that the schema lacks, each once, in lower case and with tables in place of their
// aliases: "singer.country". A bare name is left out if the result has it with a table. SQLite takes an unknown name in
// double quotes for text; it counts as missing only if before, the schema before the perturbation or nil, has such a column.
func missingNames(q *sqlast.Query, schema, before *dataset.Database) (names []string, err error) {
	b, err := sqlast.Resolve(q, schema)
	if err != nil {
		return nil, err
	}
	tables := map[string]string{} // by alias
	for t := range sqlast.All[*sqlast.Table](q) {
		tables[strings.ToLower(t.Alias.Name)] = t.Name.Name
	}
	add := func(name string) {
		alias, column, isQualified := strings.Cut(strings.ToLower(name), ".")
		if isQualified {
			name = cmp.Or(tables[alias], alias) + "." + column
		}
		if name = strings.ToLower(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, p := range b.Problems {
		add(p.Missing)
	}
	for ref := range sqlast.All[*sqlast.ColumnRef](q) {
		if t := b.Target(ref); t.Kind == sqlast.String && hasColumn(before, t.Name) {
			add(t.Name)
		}
	}
	all := slices.Clone(names)
	return slices.DeleteFunc(names, func(bare string) bool {
		return slices.ContainsFunc(all, func(name string) bool { return strings.HasSuffix(name, "."+bare) })
	}), nil
}

// hasColumn reports whether a table of a schema, which may be nil, has a column of that name.
func hasColumn(db *dataset.Database, name string) bool {
	return db != nil && slices.ContainsFunc(db.Tables, func(t dataset.Table) bool {
		return slices.ContainsFunc(t.Columns, func(c dataset.Column) bool { return strings.EqualFold(c.Original, name) })
	})
}
