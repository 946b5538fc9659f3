package perturb

import (
	"errors"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/perturb/recode"
	"github.com/tabperturb/tabperturb/sqlast"
)

// goldWay is how gold SQL changes.
type goldWay int

const (
	unchanged    goldWay = iota
	renamed              // tables or columns have other names
	restructured         // tables or columns come, go or move: names may become ambiguous
	recoded              // columns hold their values in another form
	reshaped             // columns or tables are split or merged: gold SQL computes and joins
	rewritten            // the query is another one
)

// goldChange is what the edits of a variant together mean for gold SQL.
type goldChange struct {
	dialect     *sqlast.Dialect
	way         goldWay
	mixed       bool                       // edits change gold SQL in several ways that do not go together
	alsoRenames bool                       // of a restructured schema: tables or columns have other names too
	renaming    sqlast.Renaming            // of renamed tables and columns
	recodings   []*recode.Recoding         // of recoded columns, and of those that are split
	query       string                     // the rewritten query
	reshaping   *sqlast.Reshaping          // of a split or merge; the schema after it is not set
	detached    map[sqlast.BaseColumn]bool // folded: columns that lose their name or their table
	dropped     []sqlast.BaseColumn        // columns, and tables with an empty column, that go
	tableNames  []string                   // new names of tables
	added       int                        // edits that only add a column
}

// setWay records a way in which an edit changes gold SQL. Restructuring and renaming go together; any other two ways do not.
func (g *goldChange) setWay(way goldWay) {
	switch {
	case g.way == unchanged, g.way == way:
		g.way = way
	case max(g.way, way) == restructured: // the other one is renamed, the only way of lower order
		g.way, g.alsoRenames = restructured, true
	default:
		g.mixed = true
	}
}

// renameColumn records the new name of a column, for all its mentions in gold SQL.
func (g *goldChange) renameColumn(table, column, name string) {
	g.setWay(renamed)
	g.renaming.Columns[sqlast.BaseColumn{Table: table, Column: column}] = name
	g.detach(table, column)
}

// renameTable records the new name of a table, for all its mentions in gold SQL.
func (g *goldChange) renameTable(table, name string) {
	g.setWay(renamed)
	g.renaming.Tables[table] = name
	g.tableNames = append(g.tableNames, name)
}

// rewrite replaces the query. A second replacement contradicts the first.
func (g *goldChange) rewrite(query string) {
	g.mixed = g.mixed || g.query != ""
	g.setWay(rewritten)
	g.query = query
}

// reshape records a split or merge. A variant may have only one.
func (g *goldChange) reshape(r sqlast.Reshaping) {
	g.mixed = g.mixed || g.reshaping != nil
	g.setWay(reshaped)
	g.reshaping = &r
	for c := range r.Places { // columns that move or are split
		g.detach(c.Table, c.Column)
	}
	for _, p := range r.Parts { // new tables
		g.tableNames = append(g.tableNames, p.Part)
	}
}

// detach records that a column loses its name or its table, for [goldChange.sharesAlias].
func (g *goldChange) detach(table, column string) {
	g.detached[sqlast.BaseColumn{Table: table, Column: column}.Key()] = true
}

// RewriteGold returns the example's gold SQL after the edits; after is the schema that
// [ApplySchema] returned for them. The error is a *[Refusal] if the edits cannot keep this
// query's answer. Any other error is for edits that do not go together.
func RewriteGold(ex *Example, edits []Edit, after *dataset.Database) (string, error) {
	g := newGoldChange(edits, ex.Gold.SQL())
	if g.mixed {
		return "", errors.New("edits rename or restructure the schema, recode, or rewrite the gold SQL, expected one of these in a variant, and one split or merge that gold SQL follows")
	}
	switch g.way {
	case renamed:
		return g.rename(ex)
	case restructured:
		return g.qualify(ex, after, len(edits))
	case recoded:
		return g.recode(ex, after)
	case rewritten:
		return g.query, nil
	case reshaped:
		return g.follow(ex, after)
	}
	return ex.Query, nil
}

// newGoldChange returns what edits together mean for gold SQL of a dialect.
func newGoldChange(edits []Edit, d *sqlast.Dialect) *goldChange {
	g := &goldChange{
		dialect:  d,
		renaming: sqlast.Renaming{Tables: map[string]string{}, Columns: map[sqlast.BaseColumn]string{}},
		detached: map[sqlast.BaseColumn]bool{},
	}
	for _, e := range edits {
		e.gold(g)
	}
	return g
}

// FollowGold returns the example's gold SQL for a schema in which tables and columns are renamed, added and dropped. Unlike
// [RewriteGold] it ignores the limits of Spider's official parser: it writes out a star that would show other columns, and accepts
// any name. after may have more changes than the edits. The error may be a *[Refusal].
func FollowGold(ex *Example, edits []Edit, after sqlast.Catalog) (string, error) {
	g := newGoldChange(edits, ex.Gold.SQL())
	if name := g.usedDropped(ex); name != "" {
		return "", &Refusal{Reason: "uses-dropped", Detail: name}
	}
	g.renaming.After = after
	q, err := sqlast.Rename(ex.Gold, ex.Binding, g.renaming)
	if err != nil {
		return "", asRefusal(err)
	}
	return goldText(ex, q), nil
}

// rename returns gold SQL with the new names of tables and columns.
func (g *goldChange) rename(ex *Example) (string, error) {
	if g.sharesAlias(ex) {
		return "", &Refusal{Reason: "alias-of-two-tables"}
	}
	if g.namesAlias(ex) {
		return "", &Refusal{Reason: "table-named-like-alias"}
	}
	q, err := sqlast.Rename(ex.Gold, ex.Binding, g.renaming)
	if err != nil {
		return "", asRefusal(err)
	}
	return goldText(ex, q), nil
}

// qualify returns gold SQL for a restructured schema: it qualifies names that became ambiguous by their
// table, and renames tables and columns if edits do that too. edits is the number of edits of the variant.
func (g *goldChange) qualify(ex *Example, after *dataset.Database, edits int) (string, error) {
	if name := g.usedDropped(ex); name != "" {
		return "", &Refusal{Reason: UsesDropped, Detail: name}
	}
	if g.namesAlias(ex) {
		return "", &Refusal{Reason: "new-table-named-like-alias"}
	}
	if g.sharesAlias(ex) {
		return "", &Refusal{Reason: "alias-of-lost-column"}
	}
	rewrite := func() (*sqlast.Query, error) { return sqlast.Qualify(ex.Gold, ex.Binding, after) }
	if g.alsoRenames {
		g.renaming.After = after
		rewrite = func() (*sqlast.Query, error) { return sqlast.Rename(ex.Gold, ex.Binding, g.renaming) }
	}
	q, err := rewrite()
	if err != nil && g.starShowsDropped(ex) {
		return "", &Refusal{Reason: "star-shows-other-columns"}
	}
	if err != nil {
		return "", asRefusal(err)
	}
	if stars(q) < stars(ex.Gold) { // Qualify wrote out a star that would show other columns
		if g.added < edits { // not all edits are additions of columns
			return "", &Refusal{Reason: "star-shows-other-columns"}
		}
		return "", &Refusal{Reason: "star-shows-added-column"}
	}
	return goldText(ex, q), nil
}

// usedDropped returns a dropped table or column that the query mentions ("singer" or "singer.age"), "" if there is none. It looks
// at the query before the edits: after them another table or column may have that name.
func (g *goldChange) usedDropped(ex *Example) string {
	used := ex.Binding.Columns()
	for _, table := range ex.Binding.Tables() {
		used = append(used, sqlast.BaseColumn{Table: table})
	}
	for _, d := range g.dropped {
		if i := slices.IndexFunc(used, func(c sqlast.BaseColumn) bool { return c.Key() == d.Key() }); i >= 0 {
			return strings.TrimSuffix(used[i].Table+"."+used[i].Column, ".")
		}
	}
	return ""
}

// starShowsDropped reports whether a star of the query, as in "SELECT *", includes a dropped column.
func (g *goldChange) starShowsDropped(ex *Example) bool {
	isDropped := func(t sqlast.Target) bool {
		return slices.ContainsFunc(g.dropped, func(d sqlast.BaseColumn) bool {
			return d.Key() == sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()
		})
	}
	return slices.ContainsFunc(ex.Binding.Stars(), func(s *sqlast.Star) bool { return slices.ContainsFunc(ex.Binding.Star(s), isDropped) })
}

// recode returns gold SQL for recoded columns.
func (g *goldChange) recode(ex *Example, after *dataset.Database) (string, error) {
	r, err := recode.NewRewriter(ex.Gold, ex.Binding, g.recodings)
	if err != nil {
		return "", err
	}
	if g.sharesAlias(ex) {
		return "", &Refusal{Reason: "alias-of-two-tables"}
	}
	query, err := r.Query(after)
	if err != nil {
		return "", asRefusal(err)
	}
	return query, nil
}

// follow returns gold SQL for a schema after a split or merge, with the columns read from their new places.
func (g *goldChange) follow(ex *Example, after *dataset.Database) (string, error) {
	if g.sharesAlias(ex) {
		return "", &Refusal{Reason: "alias-of-lost-column"}
	}
	if g.namesAlias(ex) {
		return "", &Refusal{Reason: "new-table-named-like-alias"}
	}
	tables := map[string]bool{} // tables whose columns change, by their names in lower case
	for c, place := range g.reshaping.Places {
		tables[strings.ToLower(c.Table)], tables[strings.ToLower(place.Table)] = true, true
	}
	isReshaped := func(t sqlast.Target) bool { return tables[strings.ToLower(t.Table)] }
	for _, s := range ex.Binding.Stars() {
		if slices.ContainsFunc(ex.Binding.Star(s), isReshaped) {
			return "", &Refusal{Reason: "star-shows-other-columns"}
		}
	}
	if query, ok := g.readParts(ex, after); ok {
		return query, nil
	}
	r := *g.reshaping
	r.After = after
	q, err := sqlast.Reshape(ex.Gold, ex.Binding, r)
	if refusal, ok := errors.AsType[*sqlast.RefusalError](err); ok {
		return "", &Refusal{"reshaped-use", refusal.Reason}
	}
	if err != nil {
		return "", err
	}
	return goldText(ex, q), nil
}

// readParts returns gold SQL that compares the parts of a split column instead of the whole text: first = 'Ann' AND last = 'Lee'. It
// returns false if gold SQL does not mention a split column, shows one in its answer or has no such form.
func (g *goldChange) readParts(ex *Example, after *dataset.Database) (string, bool) {
	isSplit := func(c sqlast.BaseColumn) bool { _, ok := g.reshaping.Places[c.Key()]; return ok }
	if len(g.recodings) == 0 || !slices.ContainsFunc(ex.Binding.Columns(), isSplit) {
		return "", false
	}
	r, err := recode.NewRewriter(ex.Gold, ex.Binding, g.recodings)
	if err != nil {
		return "", false
	}
	if shows, err := r.Shows(); shows || err != nil {
		return "", false
	}
	query, err := r.Query(after)
	return query, err == nil
}

// goldText returns the text of rewritten gold SQL q: if q is equal to the original, the text of the data set, in its own layout.
func goldText(ex *Example, q *sqlast.Query) string {
	if now := q.String(); now != ex.Gold.String() {
		return now
	}
	return ex.Query
}

// sharesAlias reports whether the query uses one alias for two tables and, by that alias, names
// a detached column of one of them. SQL keeps the two apart. Spider's official parser has one map
// of aliases for a query, in which the last table stays, and looks the name up in that one.
func (g *goldChange) sharesAlias(ex *Example) bool {
	if len(g.detached) == 0 {
		return false
	}
	tables := map[string][]string{} // by alias
	for t := range sqlast.All[*sqlast.Table](ex.Gold) {
		alias, table := strings.ToLower(t.Alias.Name), ex.Binding.BaseTable(t)
		if !slices.Contains(tables[alias], table) {
			tables[alias] = append(tables[alias], table)
		}
	}
	delete(tables, "") // tables without an alias
	for ref := range sqlast.All[*sqlast.ColumnRef](ex.Gold) {
		isDetached := func(table string) bool {
			return g.detached[sqlast.BaseColumn{Table: table, Column: ref.Column.Name}.Key()]
		}
		if aliased := tables[strings.ToLower(ref.Table.Name)]; len(aliased) > 1 && slices.ContainsFunc(aliased, isDetached) {
			return true
		}
	}
	return false
}

// namesAlias reports whether any table gets a name that is an alias in the query. SQL keeps the two
// apart, but Spider's official parser fails.
func (g *goldChange) namesAlias(ex *Example) bool {
	if len(g.tableNames) == 0 {
		return false
	}
	aliases := map[string]bool{}
	for n := range sqlast.All[sqlast.Source](ex.Gold) {
		aliases[strings.ToLower(n.AliasName().Name)] = true
	}
	for n := range sqlast.All[*sqlast.ResultColumn](ex.Gold) {
		aliases[strings.ToLower(n.Alias.Name)] = true
	}
	return slices.ContainsFunc(g.tableNames, func(name string) bool { return aliases[strings.ToLower(name)] })
}

// stars counts the stars that show columns, as in "SELECT *".
func stars(q *sqlast.Query) int { return len(slices.Collect(sqlast.All[*sqlast.Star](q))) }

// asRefusal turns the refusals of packages sqlast and recode into a *[Refusal]; it returns other
// errors as they are. The position in the query is dropped: it would split the reasons that
// reports count.
func asRefusal(err error) error {
	if r, ok := errors.AsType[*sqlast.RefusalError](err); ok {
		return &Refusal{"names-clash", r.Reason}
	}
	if r, ok := errors.AsType[*recode.Refusal](err); ok {
		return &Refusal{Reason: Reason(r.Code)}
	}
	return err
}

// QuotedName returns the first name in rewritten gold SQL (query) that needs quotes, which Spider's official parser cannot read: one
// such query ends its evaluation of all. It returns "" if there is none, or if the original gold SQL has such a name as well.
func QuotedName(ex *Example, query string, after *dataset.Database) string {
	if query == ex.Query || firstQuoted(ex.Gold, ex.Binding) != "" {
		return ""
	}
	q, b, err := sqlast.ParseResolved(query, after)
	if err != nil { // the driver reports it
		return ""
	}
	return firstQuoted(q, b)
}

// firstQuoted returns the first name of a table or column in a query that needs quotes, "" if there is none.
func firstQuoted(q *sqlast.Query, b *sqlast.Binding) (name string) {
	check := func(used string) {
		if name == "" && !IsPlainName(used) {
			name = used
		}
	}
	for t := range sqlast.All[*sqlast.Table](q) {
		check(t.Name.Name)
	}
	for c := range sqlast.All[*sqlast.ColumnRef](q) {
		if b.Target(c).Kind != sqlast.String { // SQLite reads an unknown name in double quotes as a text
			check(c.Column.Name)
		}
	}
	return name
}
