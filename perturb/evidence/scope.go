package evidence

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/sqlast"
)

// textScope resolves names in a text to columns.
type textScope struct {
	db    *dataset.Database
	steps []map[string][]dataset.ColumnRef // columns by folded name; the first step with a name decides
	// anywhere lists all columns of the schema, for names that are no ordinary words;
	// nil if a text speaks of its own table only.
	anywhere map[string][]dataset.ColumnRef
	aliases  map[string]int // tables by folded alias of the gold SQL; -1 for an alias of several
	phrases  []string       // names of columns that are no plain words, the longest first
}

// newScope returns a scope that resolves no name yet: the caller adds its steps. Its phrases are the column
// names of the schema that are no plain words, each once.
func newScope(db *dataset.Database) *textScope {
	s := &textScope{db: db, aliases: map[string]int{}}
	seen := map[string]bool{"": true}
	for _, t := range db.Tables {
		for _, c := range t.Columns {
			if !seen[c.Original] && !plainWord.MatchString(c.Original) {
				seen[c.Original] = true
				s.phrases = append(s.phrases, c.Original)
			}
		}
	}
	slices.SortStableFunc(s.phrases, func(a, b string) int { return len(b) - len(a) }) // the longest first, as one may begin with another
	return s
}

// goldScope returns the scope of an example's evidence: first the columns that its gold SQL uses
// for more than joins, then those of the tables that it mentions, then all.
func goldScope(ex *perturb.Example, db *dataset.Database) *textScope {
	s := newScope(db)
	var used, tables []dataset.ColumnRef
	joins := joinRefs(ex)
	for _, name := range ex.Binding.Tables() {
		if t := db.Table(name); t >= 0 {
			tables = append(tables, columnsOf(db, t)...)
		}
	}

	for n := range sqlast.All[*sqlast.ColumnRef](ex.Gold) {
		t := ex.Binding.Target(n)
		if joins[n] || t.Kind == sqlast.Alias { // an alias of a result is no column
			continue
		}
		if ref, ok := db.Lookup(t.Table, t.Column); ok {
			used = append(used, ref)
		}
	}
	for n := range sqlast.All[*sqlast.Table](ex.Gold) {
		if !n.Alias.IsZero() {
			s.alias(n.Alias.Name, db.Table(ex.Binding.BaseTable(n)))
		}
	}
	s.steps = []map[string][]dataset.ColumnRef{byName(db, used), byName(db, tables)}
	s.anywhere = byName(db, slices.Collect(db.AllColumns()))
	return s
}

// alias adds an alias of the gold SQL. An alias of two tables resolves to none.
func (s *textScope) alias(name string, table int) {
	key := strings.ToLower(name)
	if other, ok := s.aliases[key]; ok && other != table {
		table = -1
	}
	s.aliases[key] = table
}

// tableScope returns the scope of a text about one table.
func tableScope(db *dataset.Database, table int) *textScope {
	s := newScope(db)
	s.steps = []map[string][]dataset.ColumnRef{byName(db, columnsOf(db, table))}
	return s
}

// columnsOf returns the columns of the table at a position of the schema.
func columnsOf(db *dataset.Database, table int) (refs []dataset.ColumnRef) {
	for c := range db.Tables[table].Columns {
		refs = append(refs, dataset.ColumnRef{Table: table, Column: c})
	}
	return refs
}

// byName groups columns by folded name, each once.
func byName(db *dataset.Database, refs []dataset.ColumnRef) map[string][]dataset.ColumnRef {
	m := map[string][]dataset.ColumnRef{}
	for _, ref := range refs {
		key := strings.ToLower(db.Column(ref).Original)
		if !slices.Contains(m[key], ref) {
			m[key] = append(m[key], ref)
		}
	}
	return m
}

// joinRefs returns the column names of the gold SQL that only join tables: both sides of "=" between
// columns of two sources of FROM.
func joinRefs(ex *perturb.Example) map[*sqlast.ColumnRef]bool {
	joins := map[*sqlast.ColumnRef]bool{}
	for n := range sqlast.All[*sqlast.Binary](ex.Gold) {
		for _, c := range sqlast.Comparisons(n) { // both ways
			x, ok := c.X.(*sqlast.ColumnRef)
			y, ok2 := c.Y.(*sqlast.ColumnRef)
			switch {
			case !ok, !ok2, c.Op != "=":
			case ex.Binding.Target(x).Source != ex.Binding.Target(y).Source:
				joins[x] = true
			}
		}
	}
	return joins
}

// column returns the one column that a bare name may mean, false if there are none or several. The columns of the gold SQL
// come first, then those of its tables, then all others, but for names that may be ordinary words. hint is the position of
// the table that the text names with the column, or -1.
func (s *textScope) column(name string, hint int) (dataset.ColumnRef, bool) {
	if hint >= 0 {
		return s.db.Lookup(s.db.Tables[hint].Original, name)
	}
	key := strings.ToLower(name)
	for _, step := range s.steps {
		if refs := step[key]; len(refs) > 0 {
			return refs[0], len(refs) == 1
		}
	}
	if refs := s.anywhere[key]; len(refs) == 1 && !ordinary.MatchString(s.db.Column(refs[0]).Original) {
		return refs[0], true
	}
	return dataset.ColumnRef{}, false
}

// qualified returns the column of "prefix.name". The prefix is a table's name (exact), an alias
// of the gold SQL, or a table's name but for the s of a plural.
func (s *textScope) qualified(prefix, name string) (ref dataset.ColumnRef, exact, ok bool) {
	if t := s.db.Table(prefix); t >= 0 {
		ref, ok = s.db.Lookup(prefix, name)
		return ref, true, ok
	}
	t, ok := s.aliases[strings.ToLower(prefix)]
	if !ok { // the other number of the name: "singer" for "singers"
		t = max(s.db.Table(prefix+"s"), s.db.Table(strings.TrimSuffix(prefix, "s")))
	}
	if t < 0 {
		return ref, false, false
	}
	ref, ok = s.db.Lookup(s.db.Tables[t].Original, name)
	return ref, false, ok
}

// Forms of names. Ordinary ones could be words of prose: letters of one case, but for a
// first capital. "CRP" and "ID" are not ordinary, as they are spelled.
var (
	plainWord    = lazyregexp.New(`^[\pL\p{Nd}_]+$`) // one bare word of SQL
	ordinary     = lazyregexp.New(`^[A-Z]?[\p{Ll}\p{Lm}\p{Lo}]*$`)
	innerCapital = lazyregexp.New(`(?s)\p{Ll}.*\p{Lu}`)
)

// isWordRune reports whether a character is part of a bare name: a letter, a digit or "_".
func isWordRune(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.Nd) }

// isDistinctive reports whether an occurrence of a name cannot be a word of prose, by its form: a name
// with "_" in any case; a name with a capital within, such as "eventName", if the occurrence has
// one too; and others, such as "ID", "q3" or "A11", as the schema spells them.
func isDistinctive(name, occurrence string) bool {
	switch {
	case len(name) < 2, !strings.EqualFold(name, occurrence), ordinary.MatchString(name):
		return false
	case name == occurrence, strings.Contains(name, "_"):
		return true
	}
	return innerCapital.MatchString(name) && innerCapital.MatchString(occurrence)
}
