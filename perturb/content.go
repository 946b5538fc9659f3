package perturb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/sqlast"
)

// cellCount is how many distinct cells an added column repeats.
const cellCount = 12

// Cells returns the cells of an added column in random order: those of the candidate's web table
// that have the type, or made-up values of the type if there are none.
func Cells(rng *rand.Rand, c dataset.Candidate, typ dataset.Type) []string {
	var cells []string
	seen := map[string]bool{"": true}
	for _, cell := range c.Cells {
		cell = strings.TrimSpace(cell)
		if typ == dataset.Number {
			cell = strings.ReplaceAll(cell, ",", "")
			if _, ok := sqldata.ParseNumber(cell); !ok {
				continue
			}
		}
		if seen[cell] {
			continue
		}
		seen[cell] = true
		cells = append(cells, cell)
	}
	if len(cells) > 0 {
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		return cells[:min(len(cells), cellCount)]
	}
	for range cellCount {
		cells = append(cells, randomCell(rng, c.Name, typ))
	}
	return cells
}

// randomCell returns a random value of a type: "1987" for a number whose name has "year", "colour 7"
// for a text named "colour".
func randomCell(rng *rand.Rand, name string, typ dataset.Type) string {
	switch typ {
	case dataset.Number:
		if strings.Contains(name, "year") {
			return strconv.Itoa(1950 + rng.IntN(75))
		}
		return strconv.Itoa(1 + rng.IntN(1000))
	case dataset.Time:
		return fmt.Sprintf("%d-%02d-%02d", 1980+rng.IntN(45), 1+rng.IntN(12), 1+rng.IntN(28))
	case dataset.Boolean:
		return []string{"T", "F"}[rng.IntN(2)]
	}
	word := "value"
	if words := lexicon.Words(name); len(words) > 0 {
		word = words[len(words)-1]
	}
	return fmt.Sprintf("%s %d", word, 1+rng.IntN(99))
}

// ApplyContent writes to dst a copy of the SQLite file src with the edits made.
func ApplyContent(ctx context.Context, src, dst string, edits []Edit) error {
	return engine.Copy(ctx, src, dst, contentWrites(edits)...)
}

// DraftContent opens the SQLite file src with the edits made and writes nothing, as
// [engine.Draft] does. Same is true if all that gold SQL before the edits reads is where it was,
// so that equal programs ([engine.DB.Program]) give equal answers.
func DraftContent(ctx context.Context, src string, edits []Edit) (db engine.DB, same bool, err error) {
	db, err = engine.Draft(ctx, src, contentWrites(edits)...)
	return db, !slices.ContainsFunc(edits, Edit.movesRows), err
}

// ChangesContent reports whether edits change the SQLite file. Others change the schema that
// models read, or the question.
func ChangesContent(edits []Edit) bool { return len(contentWrites(edits)) > 0 }

// contentWrites returns what edits write to an SQLite file. Renamings of tables come last, as all edits
// name tables as before.
func contentWrites(edits []Edit) []sqldata.Write {
	var columns, tables []sqldata.Write
	for _, e := range edits {
		for _, w := range e.content() {
			if _, ok := w.(sqldata.RenameTable); ok {
				tables = append(tables, w)
			} else {
				columns = append(columns, w)
			}
		}
	}
	return append(unblocked(columns), unblocked(tables)...)
}

// unblocked returns the writes with a detour for each renaming whose new name is one that these or later renamings
// give up, as in a swap or a change of case: SQLite renames one thing at a time. It first gets a name that nothing
// has, and its own one after all other writes.
func unblocked(writes []sqldata.Write) []sqldata.Write {
	givenUp := map[sqlast.BaseColumn]bool{} // the old names; of a table without a column
	for _, w := range writes {
		if from, _, ok := renaming(w); ok {
			givenUp[from.Key()] = true
		}
	}
	var first, last []sqldata.Write
	for _, w := range writes {
		from, to, ok := renaming(w)
		if !ok || !givenUp[to.Key()] {
			first = append(first, w)
			continue
		}
		detour := fmt.Sprintf("tabperturb renamed %d", len(last))
		switch w := w.(type) {
		case sqldata.RenameColumn:
			first = append(first, sqldata.RenameColumn{Table: w.Table, Column: w.Column, Name: detour})
			last = append(last, sqldata.RenameColumn{Table: w.Table, Column: detour, Name: w.Name})
		case sqldata.RenameTable:
			first = append(first, sqldata.RenameTable{Table: from.Table, Name: detour})
			last = append(last, sqldata.RenameTable{Table: detour, Name: w.Name})
		}
	}
	return append(first, last...)
}

// renaming returns the old and the new name of the table or column that a write renames, false if it renames none.
func renaming(w sqldata.Write) (from, to sqlast.BaseColumn, ok bool) {
	switch w := w.(type) {
	case sqldata.RenameColumn:
		return sqlast.BaseColumn{Table: w.Table, Column: w.Column}, sqlast.BaseColumn{Table: w.Table, Column: w.Name}, true
	case sqldata.RenameTable:
		return sqlast.BaseColumn{Table: w.Table}, sqlast.BaseColumn{Table: w.Name}, true
	}
	return from, to, false
}
