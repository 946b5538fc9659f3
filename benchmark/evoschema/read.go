// Package evoschema checks and repairs EvoSchema's evolved schemas (Zhang et al., VLDB 2025): JSON lines, each a
// question of BIRD with its gold SQL before and after a change of the schema. They come without rows.
//
// Of each gold SQL after the change it says whether it compiles, and whether it keeps the answer on generated rows:
// the tables after are computed from those before, as the record's own mapping says. What does not is made again from
// the gold SQL before. What keeps the answer then is written as a data directory, with its provenance.
package evoschema

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/lexicon"
)

// record is a line of a file of EvoSchema.
type record struct {
	Index    int                    `json:"train_idx"`
	DB       string                 `json:"db_id"`
	Question string                 `json:"question"`
	Query    string                 `json:"query"`              // gold SQL before
	Old      map[string]recordTable `json:"relevant_table"`     // those that the gold SQL uses
	New      map[string]recordTable `json:"new_relevant_table"` // the same after
	NewGold  *string                `json:"new_gold_sql"`       // nil where the type has none

	TableNames map[string]string `json:"old_new_table_mappings"` // of renamed tables
	Merged     map[string]string `json:"old_new_table_mapping"`  // old tables by name, and the table that has both
	// Origins has the columns of a merged table that have a new name, as both tables had one of theirs.
	Origins map[string]origin `json:"deduplicate_new_column_to_old_table_old_table_mapping"`
}

// recordTable is a table of a record.
type recordTable struct {
	DDL     string `json:"ddl"`
	Renamed any    `json:"old_new_column_mappings"` // set where columns are renamed
}

// origin is the column that a column of a merged table comes from.
type origin struct {
	Table  string `json:"old_table"`
	Column string `json:"old_column"`
}

var (
	createTable = lazyregexp.New(`(?is)^\s*create\s+table\s+(.+?)\s*\(\s*(.*)\)\s*$`)
	// foreignKey matches a column that EvoSchema writes as its key, with the type behind.
	foreignKey = lazyregexp.New(`(?is)^foreign\s+key\s*\(\s*(.+?)\s*\)\s*references\s+(.+?)\s*\(\s*(.+?)\s*\)\s*(\S*)$`)
	primaryKey = lazyregexp.New(`(?is)^(.*?)\s+primary\s+key$`)
)

// schema returns the schema that the DDL of some tables declares, in the order of their names.
func schema(id string, tables map[string]recordTable) (*dataset.Database, error) {
	db := &dataset.Database{ID: id}
	var references []reference
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		groups := createTable.FindStringSubmatch(tables[name].DDL)
		if groups == nil {
			return nil, fmt.Errorf("table %s: %q, expected create table NAME(…)", name, dataset.Clip(tables[name].DDL))
		}
		tableName, body := groups[1], groups[2]
		t := dataset.Table{Original: tableName, Name: lexicon.NaturalName(tableName)}
		for _, definition := range splitColumns(body) {
			ref := dataset.ColumnRef{Table: len(db.Tables), Column: len(t.Columns)}
			column, isKey, target := parseDefinition(definition)
			if isKey {
				db.PrimaryKeys = append(db.PrimaryKeys, ref)
			}
			if target != nil {
				references = append(references, reference{ref, *target})
			}
			t.Columns = append(t.Columns, column)
		}
		db.Tables = append(db.Tables, t)
	}
	for _, r := range references {
		if target, ok := db.Lookup(r.target.Table, r.target.Column); ok { // a record lacks tables that its gold SQL does not use
			db.ForeignKeys = append(db.ForeignKeys, dataset.ForeignKey{Column: r.column, Target: target})
		}
	}
	return db, nil
}

// reference is a foreign key by the name of its target.
type reference struct {
	column dataset.ColumnRef
	target dataset.ColumnID
}

// parseDefinition parses the definition of a column: "NAME TYPE", "NAME TYPE primary key", or a foreign key, which names
// its target.
func parseDefinition(text string) (c dataset.Column, isKey bool, target *dataset.ColumnID) {
	if groups := foreignKey.FindStringSubmatch(text); groups != nil {
		name, table, column, declared := groups[1], groups[2], groups[3], groups[4]
		return newColumn(name + " " + declared), false, &dataset.ColumnID{Table: table, Column: column}
	}
	if groups := primaryKey.FindStringSubmatch(text); groups != nil {
		return newColumn(groups[1]), true, nil
	}
	return newColumn(text), false, nil
}

// newColumn returns the column of "NAME TYPE", whose name may have blanks. A type other than those of numbers and times is text.
func newColumn(text string) dataset.Column {
	name, declared := strings.TrimSpace(text), ""
	if at := strings.LastIndexByte(name, ' '); at > 0 {
		name, declared = strings.TrimSpace(name[:at]), strings.ToLower(name[at+1:])
	}
	c := dataset.Column{Original: name, Name: lexicon.NaturalName(name), Type: dataset.Text}
	switch declared {
	case "integer", "real":
		c.Type = dataset.Number
	case "date", "datetime":
		c.Type = dataset.Time
	}
	return c
}

// splitColumns splits the columns of DDL at commas outside parentheses.
func splitColumns(text string) (definitions []string) {
	depth, start := 0, 0
	for i, r := range text + "," { // the comma ends the last one
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			if part := strings.TrimSpace(text[start:i]); part != "" {
				definitions = append(definitions, part)
			}
			start = i + 1
		}
	}
	return definitions
}

// schemas returns the schemas before and after. The one after has an id of its own, by its DDL.
func (r *record) schemas() (before, after *dataset.Database, err error) {
	if before, err = schema(r.DB, r.Old); err != nil {
		return nil, nil, err
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.New)) {
		fmt.Fprintf(h, "%s\x00", r.New[name].DDL)
	}
	after, err = schema(dataset.VariantID(r.DB, [sha256.Size]byte(h.Sum(nil))), r.New)
	return before, after, err
}
