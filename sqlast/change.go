package sqlast

import (
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/raise"
)

// ChangeKind is what a [Change] does.
type ChangeKind string

// The kinds of changes of a schema and its rows.
const (
	ChangeRenameTable  ChangeKind = "RENAME TO"
	ChangeRenameColumn ChangeKind = "RENAME COLUMN"
	ChangeAddColumn    ChangeKind = "ADD COLUMN"
	ChangeDropColumn   ChangeKind = "DROP COLUMN"
	ChangeColumnType   ChangeKind = "ALTER COLUMN … TYPE"
	ChangeDropTable    ChangeKind = "DROP TABLE"
	ChangeDropView     ChangeKind = "DROP VIEW"
	ChangeCreateTable  ChangeKind = "CREATE TABLE"
	ChangeCreateView   ChangeKind = "CREATE VIEW"
	ChangeInsert       ChangeKind = "INSERT"
	ChangeCopyColumn   ChangeKind = "UPDATE … SET column = column"   // all values of Column into Name
	ChangeNoName       ChangeKind = "a constraint, default or index" // changes neither names nor rows
)

// Change is one change that a statement of a migration makes.
type Change struct {
	Kind    ChangeKind
	Table   string
	Column  string         // of a change of a column
	Name    string         // the new name
	Columns []ColumnChange // of a new table, view or column, of a new type; of INSERT those that it fills, nil for all
	Query   *Query         // of CREATE … AS SELECT and INSERT
	Primary []string       // of a new table, the columns of its primary key
	Lenient bool           // IF EXISTS or IF NOT EXISTS
	Ignore  bool           // INSERT leaves out the rows that a key refuses
}

// ColumnChange is a column as a migration defines it.
type ColumnChange struct {
	Name, Type string
	Default    string // the constant, "" for none or NULL
	Computed   bool   // its value is an expression
	Numbered   bool   // rows get the next number, as by SERIAL or AUTO_INCREMENT
	Reference  string // the table that it refers to, "" for none
	Target     string // the column there, "" for the primary key
}

// ParseChange reads a statement of a migration, without its semicolon, in the forms of SQLite and PostgreSQL, and MySQL's of columns and
// keys. A schema's name before that of a table is ignored. The error is a [*SyntaxError], also for statements of other kinds.
func ParseChange(src string) (changes []Change, err error) {
	if len(src) > MaxBytes {
		return nil, syntaxErrorf(Pos{1, 1}, "statement has %d bytes, expected at most %d", len(src), MaxBytes)
	}
	toks, err := SQLite.tokenize(src)
	if err != nil {
		return nil, err
	}
	defer raise.Catch[*SyntaxError](&err)
	p := &parser{d: SQLite, toks: toks}
	switch {
	case p.accept("ALTER", "TABLE"):
		changes = p.alterTable()
	case p.accept("DROP", "TABLE"):
		changes = p.drop(ChangeDropTable)
	case p.accept("DROP", "VIEW"):
		changes = p.drop(ChangeDropView)
	case p.accept("DROP", "INDEX"), p.accept("CREATE", "INDEX"), p.accept("CREATE", "UNIQUE", "INDEX"):
		changes = []Change{p.noName()}
	case p.accept("CREATE"):
		changes = []Change{p.create()}
	case p.accept("INSERT", "INTO"):
		changes = []Change{p.insert()}
	case p.accept("INSERT", "IGNORE", "INTO"): // MySQL's
		c := p.insert()
		c.Ignore = true
		changes = []Change{c}
	case p.accept("UPDATE"):
		changes = []Change{p.copyColumn()}
	case p.accept("RENAME", "TABLE"): // MySQL's
		changes = commaList(p, func() Change {
			c := Change{Kind: ChangeRenameTable, Table: p.changedTable()}
			p.expect("TO")
			c.Name = p.changedTable()
			return c
		})
	default:
		p.unexpected("ALTER TABLE, DROP TABLE, CREATE TABLE, CREATE VIEW, INSERT INTO or UPDATE")
	}
	if p.current().kind != tokEOF {
		p.unexpected("end of statement")
	}
	return changes, nil
}

// acceptWord consumes the next token if it is the word without quotes, in any case. The word is no keyword of SQLite.
func (p *parser) acceptWord(word string) bool {
	if t := p.current(); t.kind != tokWord || !strings.EqualFold(t.text, word) {
		return false
	}
	p.next++
	return true
}

// changedTable parses the name of a table, which may have that of a schema before it.
func (p *parser) changedTable() string {
	name := p.name("a table").Name
	if p.accept(".") {
		name = p.name("a table").Name
	}
	return name
}

// alterTable parses what follows ALTER TABLE: the table, and one or more changes of it with commas between them. IF EXISTS makes all
// of them lenient.
func (p *parser) alterTable() []Change {
	lenient := p.accept("IF", "EXISTS")
	p.acceptWord("ONLY") // PostgreSQL: without the tables that inherit from it
	table := p.changedTable()
	p.accept("*") // PostgreSQL: with them
	return commaList(p, func() Change {
		c := p.alteration()
		c.Table, c.Lenient = table, c.Lenient || lenient
		return c
	})
}

// alteration parses one change of a table, after ALTER TABLE and its name.
func (p *parser) alteration() Change {
	column := func() string { return p.name("a column").Name }
	switch kw := p.acceptOneOf("RENAME", "ADD", "DROP", "ALTER"); {
	case p.keepsColumns(kw):
		p.skipPart()
		return Change{Kind: ChangeNoName}
	case kw == "RENAME" && p.accept("TO"):
		return Change{Kind: ChangeRenameTable, Name: p.changedTable()}
	case kw == "RENAME":
		p.accept("COLUMN")
		c := Change{Kind: ChangeRenameColumn, Column: column()}
		p.expect("TO")
		c.Name = column()
		return c
	case kw == "ADD":
		p.accept("COLUMN")
		lenient := p.accept("IF", "NOT", "EXISTS")
		c, _ := p.columnChange()
		return Change{Kind: ChangeAddColumn, Column: c.Name, Columns: []ColumnChange{c}, Lenient: lenient}
	case kw == "DROP":
		p.accept("COLUMN")
		lenient := p.accept("IF", "EXISTS")
		c := Change{Kind: ChangeDropColumn, Column: column(), Lenient: lenient}
		p.acceptOneOf("CASCADE", "RESTRICT")
		return c
	case kw == "ALTER":
		p.accept("COLUMN")
		return p.alterColumn(column())
	case p.acceptWord("CHANGE"): // MySQL's
		p.accept("COLUMN")
		c := Change{Kind: ChangeRenameColumn, Column: column(), Name: column()}
		p.skipPart()
		return c
	case p.acceptWord("MODIFY"): // MySQL's
		p.accept("COLUMN")
		c, _ := p.columnChange()
		return Change{Kind: ChangeColumnType, Column: c.Name, Columns: []ColumnChange{c}}
	}
	p.unexpected("RENAME, ADD, DROP or ALTER")
	return Change{}
}

// keepsColumns reports whether a change of a table alters no name and no type: a change of its owner, its triggers, a constraint or a
// key. kw is the keyword of the change, which was consumed, or "" if it begins with another word; keepsColumns consumes such a word.
func (p *parser) keepsColumns(kw string) bool {
	switch kw {
	case "":
		return slices.ContainsFunc([]string{"OWNER", "ENABLE", "DISABLE", "VALIDATE"}, p.acceptWord)
	case "DROP", "RENAME": // MySQL's DROP KEY name
		return p.atConstraint() || p.nextIsOneOf("KEY", "INDEX") && p.isName(p.peek(1))
	}
	return p.atConstraint()
}

// alterColumn parses what follows ALTER COLUMN and the name of the column. Only TYPE and SET DATA TYPE change it, not its default, NOT
// NULL or identity.
func (p *parser) alterColumn(name string) Change {
	defer p.skipPart()
	switch {
	case p.nextIs("DROP"), p.acceptWord("ADD"), p.accept("SET") && !p.acceptWord("DATA"):
		return Change{Kind: ChangeNoName}
	case !p.acceptWord("TYPE"):
		p.unexpected("TYPE, SET or DROP")
	}
	return Change{Kind: ChangeColumnType, Column: name, Columns: []ColumnChange{{Name: name, Type: p.columnType()}}}
}

// noName consumes the rest of a statement that changes no name.
func (p *parser) noName() Change {
	p.next = len(p.toks) - 1
	return Change{Kind: ChangeNoName}
}

// drop parses what follows DROP TABLE or DROP VIEW.
func (p *parser) drop(kind ChangeKind) []Change {
	lenient := p.accept("IF", "EXISTS")
	changes := commaList(p, func() Change { return Change{Kind: kind, Table: p.changedTable(), Lenient: lenient} })
	p.acceptOneOf("CASCADE", "RESTRICT")
	return changes
}

// create parses what follows CREATE: a table or a view, with its columns, its query or both.
func (p *parser) create() Change {
	p.accept("OR", "REPLACE")
	p.acceptOneOf("TEMP", "TEMPORARY")
	kind := ChangeCreateView
	if !p.accept("VIEW") {
		p.expect("TABLE")
		kind = ChangeCreateTable
	}
	lenient := p.accept("IF", "NOT", "EXISTS")
	c := Change{Kind: kind, Table: p.changedTable(), Lenient: lenient}
	switch {
	case kind == ChangeCreateView:
		if p.nextIs("(") {
			c.Columns = p.namedColumns()
		}
		p.expect("AS")
		c.Query = p.query()
	case p.accept("AS"):
		c.Query = p.query()
	default:
		p.expect("(")
		for more := true; more; more = p.accept(",") {
			p.tablePart(&c)
		}
		p.expect(")")
		p.next = len(p.toks) - 1 // skips the options of the table, up to the end
	}
	return c
}

// tablePart parses one part of CREATE TABLE (…) into c: a column, a primary key or a foreign key. It skips other constraints.
func (p *parser) tablePart(c *Change) {
	defer p.skipPart()
	if !p.atConstraint() {
		column, primary := p.columnChange()
		c.Columns = append(c.Columns, column)
		if primary {
			c.Primary = []string{column.Name}
		}
		return
	}
	if p.accept("CONSTRAINT") {
		p.name("a constraint")
	}
	switch {
	case p.accept("PRIMARY", "KEY"):
		c.Primary = lists.Map(p.namedColumns(), func(c ColumnChange) string { return c.Name })
	case p.accept("FOREIGN", "KEY"):
		p.foreignKey(c)
	}
}

// foreignKey parses what follows FOREIGN KEY, and sets Reference and Target of those columns of c that are in the key. A key that
// names no columns of the other table refers to its primary key; only the first column of such a key gets the reference.
func (p *parser) foreignKey(c *Change) {
	keys := p.namedColumns()
	p.expect("REFERENCES")
	table, targets := p.reference()
	if len(targets) == 0 {
		targets = []string{""} // the primary key, see [ColumnChange]
	}
	for i := range c.Columns {
		at := slices.IndexFunc(keys, func(k ColumnChange) bool { return strings.EqualFold(k.Name, c.Columns[i].Name) })
		if at >= 0 && at < len(targets) {
			c.Columns[i].Reference, c.Columns[i].Target = table, targets[at]
		}
	}
}

// reference parses what follows REFERENCES: a table, and the columns in parentheses, if any.
func (p *parser) reference() (table string, columns []string) {
	table = p.changedTable()
	if p.nextIs("(") {
		columns = lists.Map(p.namedColumns(), func(c ColumnChange) string { return c.Name })
	}
	return table, columns
}

// atConstraint reports whether a constraint of a table begins here, or one of MySQL's keys: KEY name (column).
func (p *parser) atConstraint() bool {
	if p.nextIsOneOf("CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK") {
		return true
	}
	at := 0 // the place of a token, 0 being the next
	if word := p.current().text; strings.EqualFold(word, "FULLTEXT") || strings.EqualFold(word, "SPATIAL") {
		at++
	}
	if !slices.Contains([]string{"KEY", "INDEX"}, p.peek(at).sym) {
		return false
	}
	if at++; p.peek(at).sym != "(" { // the key has a name
		at++
	}
	return p.peek(at).sym == "(" && p.peek(at+1).kind != tokNumber // a number is the length of a column's type: key varchar(9)
}

// serialTypes are PostgreSQL's types of columns whose rows are numbered.
var serialTypes = []string{"serial", "bigserial", "smallserial"}

// columnChange parses the definition of a column. It keeps the default and the keys, and skips other constraints. primary is set
// if the column is the primary key.
func (p *parser) columnChange() (c ColumnChange, primary bool) {
	c = ColumnChange{Name: p.name("a column").Name, Type: p.columnType()}
	c.Numbered = slices.Contains(serialTypes, strings.ToLower(c.Type))
	for !p.atPartEnd() {
		switch {
		case p.accept("PRIMARY", "KEY"):
			primary = true
		case p.acceptWord("AUTO_INCREMENT"), p.acceptWord("IDENTITY"):
			c.Numbered, c.Computed = true, false // IDENTITY comes after GENERATED … AS
		case p.accept("REFERENCES"):
			table, targets := p.reference()
			c.Reference, c.Target = table, append(targets, "")[0] // the table may be named without a column
		case p.accept("DEFAULT"):
			c.Default, c.Computed = p.constant()
		case p.nextIs("GENERATED"), p.nextIs("AS"):
			c.Computed = true
			p.next++
		case p.nextIs("("):
			p.skipParens()
		default:
			p.next++
		}
	}
	return c, primary
}

// columnType parses the type of a column, without its length; "" for none.
func (p *parser) columnType() string {
	var words []string
	for t := p.current(); t.isTypeWord(); t = p.current() {
		words = append(words, t.text)
		p.next++
		if p.nextIs("(") {
			p.skipParens()
		}
	}
	return strings.Join(words, " ")
}

// isTypeWord reports whether a token can be a word of a column's type. USING begins the expression of a new type,
// GENERATED that of a computed column.
func (t *token) isTypeWord() bool {
	switch {
	case t.sym == "GENERATED", strings.EqualFold(t.text, "USING"):
		return false
	case t.kind == tokWord:
		return slices.Contains([]class{notKeyword, fallback}, t.class) // another keyword begins a constraint
	}
	return t.kind == tokQuoted
}

// constant parses the value of DEFAULT: a number, a text, "1" and "0" for true and false, "" for NULL. computed is set for any other
// expression, which is not consumed.
func (p *parser) constant() (text string, computed bool) {
	sign := p.acceptOneOf("-", "+")
	switch t := p.current(); {
	case p.accept("NULL"):
		return "", false
	case t.kind == tokNumber, t.kind == tokString && sign == "":
		p.next++
		return strings.TrimPrefix(sign, "+") + t.text, false
	case p.acceptWord("true"):
		return "1", false
	case p.acceptWord("false"):
		return "0", false
	}
	return "", true
}

// atPartEnd reports whether a part of a list ends here.
func (p *parser) atPartEnd() bool {
	return p.nextIsOneOf(",", ")") || p.current().kind == tokEOF
}

// skipPart consumes the rest of a part of a list, up to the comma or parenthesis after it.
func (p *parser) skipPart() {
	for !p.atPartEnd() {
		if p.nextIs("(") {
			p.skipParens()
		} else {
			p.next++
		}
	}
}

// skipParens consumes an opening parenthesis and all up to the closing one.
func (p *parser) skipParens() {
	for depth := 0; ; {
		switch t := p.advance(); {
		case t.kind == tokEOF:
			p.unexpected(`")"`)
		case t.sym == "(":
			depth++
		case t.sym == ")":
			if depth--; depth == 0 {
				return
			}
		}
	}
}

// insert parses what follows INSERT INTO.
func (p *parser) insert() Change {
	c := Change{Kind: ChangeInsert, Table: p.changedTable()}
	if p.nextIs("(") {
		c.Columns = p.namedColumns()
	}
	if !p.nextIsOneOf("SELECT", "WITH", "VALUES") {
		p.unexpected("SELECT or VALUES")
	}
	c.Query = p.query()
	return c
}

// copyColumn parses what follows UPDATE, if it gives one column the values of another: UPDATE t SET new = old [WHERE new IS NULL].
func (p *parser) copyColumn() Change {
	p.acceptWord("ONLY") // PostgreSQL's, see alterTable
	c := Change{Kind: ChangeCopyColumn, Table: p.changedTable()}
	p.expect("SET")
	c.Name = p.name("a column").Name
	p.expect("=")
	c.Column = p.name("another column of the table").Name
	if p.accept("WHERE") && (!strings.EqualFold(p.name("a column").Name, c.Name) || !p.accept("IS", "NULL")) {
		p.unexpected("the new column IS NULL")
	}
	return c
}

// namedColumns parses a list of column names in parentheses.
func (p *parser) namedColumns() []ColumnChange {
	return lists.Map(p.columnNames(), func(name Ident) ColumnChange { return ColumnChange{Name: name.Name} })
}
