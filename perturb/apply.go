package perturb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// VariantID names a perturbed database: the original's id with a hash of the
// edits of its schema. Equal edits have equal names, and a database without any
// keeps its own.
func VariantID(db string, edits []Edit) (string, error) {
	schema := SchemaEdits(edits)
	if len(schema) == 0 {
		return db, nil
	}
	data, err := MarshalEdits(schema)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(db+"\x00"), data...))
	return db + variantMark + hex.EncodeToString(sum[:variantHash]), nil
}

// The form of the ids of perturbed databases: the original's, a mark, and bytes of a hash in
// hexadecimal.
const (
	variantMark = "__"
	variantHash = 5
)

// OriginalID returns the id of the database that one with an id was made from, by the form
// that [VariantID] gives it; an original's own.
func OriginalID(id string) string {
	at := len(id) - len(variantMark) - 2*variantHash
	if at <= 0 || id[at:at+len(variantMark)] != variantMark {
		return id
	}
	if strings.Trim(id[at+len(variantMark):], "0123456789abcdef") != "" {
		return id
	}
	return id[:at]
}

// ApplySchema returns a copy of db with the edits made, under the id of the
// variant. Edits name columns as db does, whatever edits precede them. The error
// is for edits that do not fit the schema.
func ApplySchema(db *dataset.Database, edits []Edit) (*dataset.Database, error) {
	id, err := VariantID(db.ID, edits)
	if err != nil {
		return nil, err
	}
	out := db.Clone()
	out.ID, out.SQLite = id, ""
	for _, e := range edits {
		if err := e.schema(db, out); err != nil {
			return nil, fmt.Errorf("%s: %w", db.ID, err)
		}
	}
	settle(db, edits, out)
	return out, nil
}

// RewriteGold returns the example's gold SQL after the edits; after is the
// schema that [ApplySchema] made of them. A *[Refusal] says that the edits
// cannot keep this query's answer.
func RewriteGold(ex *Example, edits []Edit, after *dataset.Database) (string, error) {
	if recodes, others := recodeEdits(edits); len(recodes) > 0 {
		if others {
			return "", errors.New("edits recode columns and rename, add or rewrite, expected one kind in a variant")
		}
		return recodeGold(ex, recodes, after)
	}
	renaming := sqlast.Renaming{Tables: map[string]string{}, Columns: map[sqlast.BaseColumn]string{}}
	adds, query := false, "" // adds: columns and tables come, go or move
	for _, e := range edits {
		switch e := e.(type) {
		case RenameColumn:
			renaming.Columns[sqlast.BaseColumn{Table: e.Table, Column: e.Column}] = e.Name
		case RenameTable:
			renaming.Tables[e.Table] = e.Name
		case AddColumn, DropColumn, ShuffleColumns, ShuffleTables, SplitTable, MergeTables, DropPrimaryKey, DropForeignKey:
			adds = true
		case RewriteSQL:
			if query != "" {
				return "", errors.New("edits rewrite the gold SQL twice, expected once")
			}
			query = e.Query
		}
	}
	renames := len(renaming.Columns)+len(renaming.Tables) > 0
	switch {
	case query != "" && (renames || adds), renames && adds:
		return "", errors.New("edits rename, change the structure of the schema or rewrite the gold SQL, expected one kind in a variant")
	case query != "":
		return query, nil
	case renames:
		return rename(ex, renaming)
	case adds:
		return qualify(ex, edits, after)
	}
	return ex.Query, nil
}

func rename(ex *Example, renaming sqlast.Renaming) (string, error) {
	if sharesAlias(ex, renaming) {
		return "", &Refusal{Reason: "alias-of-two-tables"}
	}
	if namesAlias(ex, renaming) {
		return "", &Refusal{Reason: "table-named-like-alias"}
	}
	q, err := sqlast.Rename(ex.Gold, ex.Binding, renaming)
	if err != nil {
		return "", refused(err)
	}
	return printed(ex, q), nil
}

func qualify(ex *Example, edits []Edit, after *dataset.Database) (string, error) {
	if namesAlias(ex, sqlast.Renaming{Tables: newTables(edits)}) {
		return "", &Refusal{Reason: "new-table-named-like-alias"}
	}
	if sharesAlias(ex, sqlast.Renaming{Columns: goneColumns(edits)}) {
		return "", &Refusal{Reason: "alias-of-lost-column"}
	}
	q, err := sqlast.Qualify(ex.Gold, ex.Binding, after)
	if err != nil {
		return "", refused(err)
	}
	if stars(q) < stars(ex.Gold) { // written out, or it would show more
		if slices.ContainsFunc(edits, func(e Edit) bool { _, ok := e.(AddColumn); return !ok }) {
			return "", &Refusal{Reason: "star-shows-other-columns"}
		}
		return "", &Refusal{Reason: "star-shows-added-column"}
	}
	return printed(ex, q), nil
}

// printed returns rewritten gold SQL: in the words of the data set where nothing
// changed.
func printed(ex *Example, q *sqlast.Query) string {
	if now := q.String(); now != ex.Gold.String() {
		return now
	}
	return ex.Query
}

// sharesAlias tells whether the query names a renamed column, or one of its name, by
// an alias that stands for another table elsewhere in it. SQL keeps the two apart;
// Spider's official parser has one map of aliases for a query, in which the last
// table stays, and would look the name up in that one.
func sharesAlias(ex *Example, r sqlast.Renaming) bool {
	tables := map[string][]string{} // by alias
	for t := range sqlast.All[*sqlast.Table](ex.Gold) {
		alias, table := strings.ToLower(t.Alias.Name), ex.Binding.BaseTable(t)
		if !slices.Contains(tables[alias], table) {
			tables[alias] = append(tables[alias], table)
		}
	}
	delete(tables, "") // have no alias
	renamed := map[sqlast.BaseColumn]bool{}
	for c := range r.Columns {
		renamed[c.Key()] = true
	}
	for ref := range sqlast.All[*sqlast.ColumnRef](ex.Gold) {
		of := tables[strings.ToLower(ref.Table.Name)]
		if len(of) > 1 && slices.ContainsFunc(of, func(table string) bool {
			return renamed[sqlast.BaseColumn{Table: table, Column: ref.Column.Name}.Key()]
		}) {
			return true
		}
	}
	return false
}

// namesAlias tells whether a table, of the query or not, takes the name of an
// alias. SQL keeps the two apart; Spider's official parser gives up.
func namesAlias(ex *Example, r sqlast.Renaming) bool {
	aliases := map[string]bool{}
	for n := range sqlast.All[sqlast.Source](ex.Gold) {
		aliases[strings.ToLower(n.AliasName().Name)] = true
	}
	for n := range sqlast.All[*sqlast.ResultColumn](ex.Gold) {
		aliases[strings.ToLower(n.Alias.Name)] = true
	}
	for _, name := range r.Tables {
		if aliases[strings.ToLower(name)] {
			return true
		}
	}
	return false
}

// stars counts the stars that stand for columns.
func stars(q *sqlast.Query) (n int) {
	for range sqlast.All[*sqlast.Star](q) {
		n++
	}
	return n
}

// refused turns what sqlast declines to rewrite into a refusal; where in the
// query it stands would only split the reasons that reports count.
func refused(err error) error {
	if r, ok := errors.AsType[*sqlast.RefusalError](err); ok {
		return &Refusal{"names-clash", r.Reason}
	}
	return err
}
