package perturb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Refusal says why an example cannot be rewritten under a variant's edits so
// that its relation could hold.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

// VariantID names a perturbed database: the original's id with a hash of the
// edits. Equal edits have equal names.
func VariantID(db string, edits []Edit) (string, error) {
	data, err := MarshalEdits(edits)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(db+"\x00"), data...))
	return db + "__" + hex.EncodeToString(sum[:5]), nil
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
		switch e := e.(type) {
		case RenameColumn:
			ref, ok := db.Lookup(e.Table, e.Column)
			if !ok {
				return nil, fmt.Errorf("%s: no column %s.%s to rename", db.ID, e.Table, e.Column)
			}
			if out.Column(ref).Original != db.Column(ref).Original {
				return nil, fmt.Errorf("%s: column %s.%s is renamed twice", db.ID, e.Table, e.Column)
			}
			if _, ok := out.Lookup(e.Table, e.Name); ok {
				return nil, fmt.Errorf("%s: table %s has a column %s already", db.ID, e.Table, e.Name)
			}
			c := out.Column(ref)
			c.Original, c.Name = e.Name, e.Natural
		case AddColumn:
			t := out.Table(e.Table)
			if t < 0 {
				return nil, fmt.Errorf("%s: no table %s to add a column to", db.ID, e.Table)
			}
			if _, ok := out.Lookup(e.Table, e.Name); ok {
				return nil, fmt.Errorf("%s: table %s has a column %s already", db.ID, e.Table, e.Name)
			}
			out.Tables[t].Columns = append(out.Tables[t].Columns, dataset.Column{
				Name: e.Natural, Original: e.Name, Type: e.Type, Samples: e.Cells[:min(len(e.Cells), 5)],
			})
		default:
			return nil, fmt.Errorf("unknown edit %T", e)
		}
	}
	return out, nil
}

// RewriteGold returns the example's gold SQL after the edits; after is the
// schema that [ApplySchema] made of them. A *[Refusal] says that the edits
// cannot keep this query's answer.
func RewriteGold(ex *Example, edits []Edit, after *dataset.Database) (string, error) {
	renaming := sqlast.Renaming{Columns: map[sqlast.BaseColumn]string{}}
	adds := false
	for _, e := range edits {
		switch e := e.(type) {
		case RenameColumn:
			renaming.Columns[sqlast.BaseColumn{Table: e.Table, Column: e.Column}] = e.Name
		case AddColumn:
			adds = true
		}
	}
	q, b := ex.Gold, ex.Binding
	var err error
	if len(renaming.Columns) > 0 {
		if sharesAlias(ex, renaming) {
			return "", &Refusal{"an alias stands for two tables, between which Spider's official parser cannot tell the renamed column's"}
		}
		if q, err = sqlast.Rename(q, b, renaming); err != nil {
			return "", refused(err)
		}
	}
	if adds {
		if len(renaming.Columns) > 0 {
			return "", errors.New("edits rename and add columns, expected one kind in a variant")
		}
		if q, err = sqlast.Qualify(q, b, after); err != nil {
			return "", refused(err)
		}
		if stars(q) < stars(ex.Gold) { // written out, or it would show more
			return "", &Refusal{"SELECT * would show the added column"}
		}
	}
	return q.String(), nil
}

// sharesAlias tells whether the query names a renamed column by an alias that
// stands for another table elsewhere in it. SQL keeps the two apart; Spider's
// official parser has one map of aliases for a query and would look the new name
// up in the wrong table.
func sharesAlias(ex *Example, r sqlast.Renaming) bool {
	tables := map[string]string{} // by alias; "" where there are several
	sqlast.Inspect(ex.Gold, func(n sqlast.Node) bool {
		if t, ok := n.(*sqlast.Table); ok && !t.Alias.IsZero() {
			alias, table := strings.ToLower(t.Alias.Name), ex.Binding.BaseTable(t)
			if known, ok := tables[alias]; ok && known != table {
				table = ""
			}
			tables[alias] = table
		}
		return true
	})
	renamed := map[sqlast.BaseColumn]bool{}
	for c := range r.Columns {
		renamed[c.Key()] = true
	}
	shared := false
	sqlast.Inspect(ex.Gold, func(n sqlast.Node) bool {
		if ref, ok := n.(*sqlast.ColumnRef); ok && !ref.Table.IsZero() {
			t := ex.Binding.Target(ref)
			table, aliased := tables[strings.ToLower(ref.Table.Name)]
			shared = shared || aliased && table == "" && renamed[sqlast.BaseColumn{Table: t.Table, Column: t.Column}.Key()]
		}
		return true
	})
	return shared
}

// stars counts the stars that stand for columns.
func stars(q *sqlast.Query) (n int) {
	sqlast.Inspect(q, func(node sqlast.Node) bool {
		if _, ok := node.(*sqlast.Star); ok {
			n++
		}
		return true
	})
	return n
}

// refused turns what sqlast declines to rewrite into a refusal; where in the
// query it stands would only split the reasons that reports count.
func refused(err error) error {
	if r, ok := errors.AsType[*sqlast.RefusalError](err); ok {
		return &Refusal{r.Reason}
	}
	return err
}

// Applied is a unit after a variant's edits.
type Applied struct {
	DB       *dataset.Database
	Examples []*dataset.Example // with the rewritten gold SQL; those refused are left out
	Refused  map[int]*Refusal   // by the Index of the example
}

// Apply makes a variant's edits in schema and gold SQL. It changes nothing that
// it is given.
func Apply(db *dataset.Database, v Variant) (*Applied, error) {
	after, err := ApplySchema(db, v.Edits)
	if err != nil {
		return nil, err
	}
	out := &Applied{DB: after, Refused: map[int]*Refusal{}}
	for _, ex := range v.Examples {
		query, err := RewriteGold(ex, v.Edits, after)
		if r, ok := errors.AsType[*Refusal](err); ok {
			out.Refused[ex.Index] = r
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", db.ID, ex.Index, err)
		}
		post := *ex.Example
		post.DB, post.Query = after.ID, query
		out.Examples = append(out.Examples, &post)
	}
	return out, nil
}
