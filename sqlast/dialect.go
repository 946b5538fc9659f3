package sqlast

import (
	"cmp"
	_ "embed" // the lists of keywords
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// Dialect is the SELECT of one engine: its words, its operators, the forms of its literals and what its names mean.
// Parser, resolver and printer are the same for all and ask it. The zero of a field means that the dialect lacks it.
type Dialect struct {
	name     string
	keywords map[string]keyword // by upper-case text
	niladic  map[string]bool    // keywords that are a value, such as CURRENT_DATE

	infix         map[string]int // precedence of the operators between operands, and of those after one
	prefix        map[string]int // precedence of the operators before an operand
	escape        int            // least precedence of what follows ESCAPE
	operatorLevel int            // precedence of the operators of signs that infix lacks
	unchained     int            // highest precedence of the operators above NOT that do not chain: a = b = c is no expression
	likes         []string       // operators of patterns

	quotes         string // bytes that begin a string or a name in quotes
	stringLetters  string // letters that make a string after them another literal: x, b, e
	operatorBytes  string // bytes of which operators consist; "" for the fixed list of [operators]
	params         string // bytes that begin a parameter
	dollarStrings  bool   // $tag$ … $tag$
	nestedComments bool   // /* /* */ */

	stringNames    bool     // a string can be a name, and a name in double quotes a string
	anyLabel       bool     // any keyword can follow AS or a point as a name
	foldsNames     bool     // a bare name is its lower-case form, and names compare with case
	rowIDs         []string // columns that every table has beside its own
	postgresSyntax bool     // x::type, type 'literal', types of several words, arrays, LATERAL and the rest that only PostgreSQL has
	postgresSelect bool     // a query in parentheses may stand for a SELECT, DISTINCT ON, an empty select list, FETCH
	postgresCalls  bool     // words between arguments, as in EXTRACT(YEAR FROM x), names before them, and WITHIN GROUP
	scopes         scopeRules
	spelling       spelling
}

// scopeRules are the ways in which dialects look up names.
type scopeRules struct {
	aliasOnlyAsTerm  bool // an alias is visible only where it alone is a term of GROUP BY or ORDER BY
	orderedCTEs      bool // a table of WITH sees those before it, and itself only with RECURSIVE
	namedCalls       bool // an output without alias is named after its function or column, not after its text
	wholeRows        bool // the name of a source is its row
	queriesNeedAlias bool // a query in FROM has an alias, which the server wanted up to version 15
	joinTrees        bool // ON sees the sources of its own join, not those beyond a comma
}

// Name returns the name of the dialect.
func (d *Dialect) Name() string { return d.name }

// Dialects returns all dialects, SQLite's first.
func Dialects() []*Dialect { return []*Dialect{SQLite, PostgreSQL} }

// DialectNamed returns a dialect by its name, or nil. The empty name is SQLite's.
func DialectNamed(name string) *Dialect {
	name = cmp.Or(name, SQLite.name)
	for _, d := range Dialects() {
		if d.name == name {
			return d
		}
	}
	return nil
}

// Speaker is a [Catalog] that knows the dialect of its queries. Without it that is SQLite's.
type Speaker interface{ SQL() *Dialect }

// dialectOf returns the dialect of a catalog.
func dialectOf(c Catalog) *Dialect {
	if s, ok := c.(Speaker); ok {
		return s.SQL()
	}
	return SQLite
}

// SQL returns the dialect of a query.
func (n *Query) SQL() *Dialect {
	if n.Dialect == nil {
		return SQLite
	}
	return n.Dialect
}

//go:embed keywords.txt
var sqliteKeywords string

//go:embed keywords_postgresql.txt
var postgresqlKeywords string

// readKeywords parses lists of keywords, one for each class that the dialect has, and returns the keywords by upper-case text.
func readKeywords(text string) map[string]keyword {
	m, lists := map[string]keyword{}, wordfile.ReadLists(text)
	for name, class := range map[string]class{"reserved": reserved, "joinWord": joinWord, "fallback": fallback, "plain": plain} {
		if _, ok := lists[name]; !ok {
			continue
		}
		for _, w := range lists.Words(name) {
			m[w] = keyword{w, class}
		}
	}
	return m
}

// levels returns the precedence of operators, given as lists with ", " between them: base for those of the first list, which bind
// most loosely, base+1 for the second, and so on. An empty list keeps a precedence free, for NOT, a sign or ESCAPE.
func levels(base int, lists ...string) map[string]int {
	m := map[string]int{}
	for i, list := range lists {
		for op := range strings.SplitSeq(list, ", ") {
			m[op] = base + i
		}
	}
	delete(m, "") // from empty lists
	return m
}

// SQLite is the dialect of SQLite: of Spider, SParC, CoSQL, WikiSQL, Squall and BIRD.
var SQLite = &Dialect{
	name:     "sqlite",
	keywords: readKeywords(sqliteKeywords),
	niladic:  wordfile.ReadSet("CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP"),
	infix: levels(precOr, "OR", "AND", "",
		"=, !=, IS, IS NOT, IS DISTINCT FROM, IS NOT DISTINCT FROM, ISNULL, NOTNULL, NOT, IN, BETWEEN, LIKE, GLOB, REGEXP, MATCH",
		"<, <=, >, >=", "", "&, |, <<, >>", "+, -", "*, /, %", "||, ->, ->>", "COLLATE"),
	prefix:        map[string]int{"NOT": precNot, "-": precUnary, "+": precUnary, "~": precUnary},
	escape:        precEscape + 1,
	likes:         []string{"LIKE", "GLOB", "REGEXP", "MATCH"},
	quotes:        "'\"`[",
	stringLetters: "x",
	params:        "?:@$",
	stringNames:   true,
	rowIDs:        []string{"rowid", "oid", "_rowid_"},
	spelling:      sqliteSpelling,
}

// PostgreSQL is the dialect of PostgreSQL.
var PostgreSQL = &Dialect{
	name:     "postgresql",
	keywords: readKeywords(postgresqlKeywords),
	niladic: wordfile.ReadSet(`CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP CURRENT_USER SESSION_USER USER
		CURRENT_ROLE CURRENT_CATALOG CURRENT_SCHEMA`),
	infix: levels(precOr, "OR", "AND", "", "IS, IS NOT, IS DISTINCT FROM, IS NOT DISTINCT FROM, ISNULL, NOTNULL",
		"=, !=, <, <=, >, >=", "NOT, IN, BETWEEN, LIKE, ILIKE, SIMILAR, OVERLAPS", "||", "+, -", "*, /, %", "^", "AT, AT TIME ZONE", "COLLATE",
		"", "::, ["),
	prefix:         map[string]int{"NOT": precNot, "-": pgUnary, "+": pgUnary},
	escape:         pgOperator,
	operatorLevel:  pgOperator,
	unchained:      pgOperator - 1,
	likes:          []string{"LIKE", "ILIKE", "SIMILAR"},
	quotes:         `'"`,
	stringLetters:  "xbe",
	operatorBytes:  "+-*/<>=~!@#%^&|`?",
	params:         "$",
	dollarStrings:  true,
	nestedComments: true,
	anyLabel:       true,
	foldsNames:     true,
	rowIDs:         []string{"ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"},
	postgresSyntax: true,
	postgresSelect: true,
	postgresCalls:  true,
	scopes:         scopeRules{aliasOnlyAsTerm: true, orderedCTEs: true, namedCalls: true, wholeRows: true, queriesNeedAlias: true, joinTrees: true},
	spelling:       postgresqlSpelling,
}

// level returns the precedence of an operator between operands, 0 for none.
func (d *Dialect) level(op string) int {
	if level, ok := d.infix[op]; ok || op == "" {
		return level
	}
	if strings.IndexByte(d.operatorBytes, op[0]) >= 0 { // one of the many of PostgreSQL, such as ~ or @>
		return d.operatorLevel
	}
	return 0
}

// chains reports whether operators of a precedence may follow each other without parentheses.
func (d *Dialect) chains(level int) bool { return level <= precNot || level > d.unchained }

// prefixLevel returns the precedence of an operator before its operand, 0 for none.
func (d *Dialect) prefixLevel(op string) int {
	if level, ok := d.prefix[op]; ok || op == "" {
		return level
	}
	if _, between := d.infix[op]; !between && strings.IndexByte(d.operatorBytes, op[0]) >= 0 { // PostgreSQL's, but not * or =
		return d.operatorLevel
	}
	return 0
}
