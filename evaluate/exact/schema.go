package exact

import (
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Schema is a database as the evaluator sees it: names in lower case, and the
// columns that foreign keys make one. It is read-only.
type Schema struct {
	// AnyLimit makes strict mode ignore the numbers of LIMIT, like other values: for
	// predictions whose values are not judged.
	AnyLimit bool

	db      *dataset.Database
	words   map[string]word            // the words of the grammar and the names of the database
	columns map[tableColumn]int32      // by table and name
	column  []column                   // the first is the star
	notNull map[[2]string]bool         // tables with columns that have no NULL, in lower case: those of the primary key
	unique  map[string][][]string      // tables with the one column of their primary key, in lower case; see uniqueKeys
	types   map[[2]string]dataset.Type // of the columns of each table, in lower case
	parsers sync.Pool                  // of *parser
}

// A word is the meaning of a token; table and column are -1 if it names none.
type word struct {
	kind   kind
	table  int32
	column int32 // a name, whatever its table
}

// A tableColumn is a column of a table, both by the positions that words have.
type tableColumn struct{ table, column int32 }

// A column is a column of the schema.
type column struct {
	table int32 // index in the schema; -1 for the star
	class int32 // the representative of the columns that foreign keys link to this one
	group int32 // equal for columns of one name, which GROUP BY takes for the same
}

// star is the position of "*" among the columns.
const star = 0

// NewSchema returns the schema of db, which must not change afterwards. The first of its columns is the star.
func NewSchema(db *dataset.Database) *Schema {
	s := &Schema{db: db, words: make(map[string]word), columns: map[tableColumn]int32{}, column: []column{{table: -1}}, notNull: map[[2]string]bool{}, types: map[[2]string]dataset.Type{}}
	for _, key := range db.PrimaryKeys {
		t := &db.Tables[key.Table]
		s.notNull[[2]string{strings.ToLower(t.Original), strings.ToLower(t.Columns[key.Column].Original)}] = true
	}
	s.unique = uniqueKeys(db)
	s.parsers.New = func() any { return newParser(s) }
	for text, k := range grammar {
		s.words[text] = word{kind: k, table: -1, column: -1}
	}
	var names []string                         // by word.column
	columns := make([][]int32, len(db.Tables)) // the position in s.column of each column of each table
	for t := range db.Tables {
		w := s.word(db.Tables[t].Original)
		if w.table < 0 { // else the table shares its name with an earlier one
			w.table = int32(t)
			s.words[strings.ToLower(db.Tables[t].Original)] = w
		}
		for _, c := range db.Tables[t].Columns {
			name := strings.ToLower(c.Original)
			s.types[[2]string{strings.ToLower(db.Tables[t].Original), name}] = c.Type
			cw := s.word(name)
			if cw.column < 0 {
				cw.column = int32(len(names))
				names = append(names, name)
				s.words[name] = cw
			}
			key := tableColumn{w.table, cw.column}
			id, known := s.columns[key]
			if !known {
				id = int32(len(s.column))
				s.columns[key] = id
				s.column = append(s.column, column{table: w.table, class: id, group: cw.column + 1}) // group 0 is the star's
			}
			columns[t] = append(columns[t], id)
		}
	}
	s.joinKeys(columns)
	s.cutGroups(names)
	return s
}

// uniqueKeys returns the columns that identify the rows of tables, by table, all names in lower case. It takes the column of a
// primary key with one column if foreign keys refer to this column and to no other of the table, and the column is no foreign
// key itself. It leaves out other keys: Spider's tables.json lists only the first column of a longer key, which looks the same.
func uniqueKeys(db *dataset.Database) map[string][][]string {
	count, targets := map[int]int{}, map[dataset.ColumnRef]bool{}
	for _, key := range db.PrimaryKeys {
		count[key.Table]++
	}
	for _, key := range db.ForeignKeys {
		targets[key.Target] = true
	}
	unique := map[string][][]string{}
	for _, key := range db.PrimaryKeys {
		isSource := func(k dataset.ForeignKey) bool { return k.Column == key }
		isOtherTarget := func(k dataset.ForeignKey) bool { return k.Target.Table == key.Table && k.Target != key }
		if count[key.Table] > 1 || !targets[key] || slices.ContainsFunc(db.ForeignKeys, isOtherTarget) {
			continue
		}
		if t := db.Tables[key.Table]; !slices.ContainsFunc(db.ForeignKeys, isSource) {
			unique[strings.ToLower(t.Original)] = [][]string{{strings.ToLower(t.Columns[key.Column].Original)}}
		}
	}
	return unique
}

// Declare adds what the CREATE TABLE of a table declares: columns that are NOT NULL, and the columns of its keys. A key
// with a column that may hold NULL does not identify rows and is ignored. It must be called before any query is judged.
func (s *Schema) Declare(table string, notNull []string, keys [][]string) {
	table = strings.ToLower(table)
	for _, column := range notNull {
		s.notNull[[2]string{table, strings.ToLower(column)}] = true
	}
	for _, key := range keys {
		key = lists.Map(key, strings.ToLower)
		if len(key) > 0 && !slices.ContainsFunc(key, func(column string) bool { return !s.notNull[[2]string{table, column}] }) {
			s.unique[table] = append(s.unique[table], key)
		}
	}
}

// word returns the meaning of a name; an unknown name has no table and no column.
func (s *Schema) word(text string) word {
	if w, ok := s.words[strings.ToLower(text)]; ok {
		return w
	}
	return word{kind: kindWord, table: -1, column: -1}
}

// joinKeys puts the columns that foreign keys link into classes, each represented
// by its first column. A key joins the first class that has either of its ends;
// it does not merge two classes, as in the official evaluator. columns[t][c] is
// the position in s.column of column c of table t.
func (s *Schema) joinKeys(columns [][]int32) {
	var classes [][]dataset.ColumnRef
	for _, key := range s.db.ForeignKeys {
		i := slices.IndexFunc(classes, func(c []dataset.ColumnRef) bool {
			return slices.Contains(c, key.Column) || slices.Contains(c, key.Target)
		})
		if i < 0 {
			i = len(classes)
			classes = append(classes, nil)
		}
		classes[i] = append(classes[i], key.Column, key.Target)
	}
	for _, class := range classes {
		slices.SortFunc(class, dataset.ColumnRef.Compare)
		for _, ref := range class {
			s.column[columns[ref.Table][ref.Column]].class = columns[class[0].Table][class[0].Column]
		}
	}
}

// cutGroups gives columns whose names agree before a point one group, as in the
// official evaluator, which compares only that part: "max. age" and "max. pay" are one.
// names[g-1] is the name of the columns in group g; group 0 is the star's.
func (s *Schema) cutGroups(names []string) {
	first := map[string]int32{}
	for i := range s.column {
		if g := s.column[i].group; g > 0 { // not the star
			if head, _, cut := strings.Cut(names[g-1], "."); cut {
				if _, ok := first[head]; !ok {
					first[head] = g
				}
				s.column[i].group = first[head]
			}
		}
	}
}
