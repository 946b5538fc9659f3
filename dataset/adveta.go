package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// ADVETASource is the [Candidate.Source] of names from ADVETA's files.
const ADVETASource = "adveta"

// SideOf returns the side of the candidates in an ADVETA file by the name of the file, which has
// "rpl", "replace" or "add" as a word. ok is false if it has none of them, or both kinds.
func SideOf(path string) (side Side, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(filepath.Base(path)), func(r rune) bool { return !unicode.IsLetter(r) })
	rpl := slices.Contains(words, "rpl") || slices.Contains(words, "replace")
	add := slices.Contains(words, "add")
	if add {
		return Add, !rpl
	}
	return Replace, rpl // neither word: ok is false
}

// advetaTable is a member of an ADVETA file. Tables of Spider have a db_id and
// SQL names, those of WikiSQL and WTQ the id of the table at its source.
type advetaTable struct {
	Header   []string             `json:"header"`
	DB       string               `json:"db_id"`
	Table    string               `json:"table_name_original"`
	Original []string             `json:"column_names_original"`
	SourceID string               `json:"id"`
	Dict     *map[string][]string `json:"dict"`
}

// ReadADVETA reads one of the six files of ADVETA 1.0 as the buckets of a side. Candidates have the source [ADVETASource]
// and the table's ADVETA id as evidence. It matches
//
//   - a table of Spider by db_id and table name;
//   - a table of WikiSQL or WTQ with the only table of the database whose id is the table's. If dbs lack it, it makes a
//     database of one table, both named by that id, with the header as columns;
//   - columns by position, because the files spell some headers otherwise. In a database of Squall it skips derived
//     columns and the leading id and agg.
//
// It drops candidates that are empty, doubled or equal to a header of their table, and blanks and capitals of others, each
// with a note. It drops a table with any other fault and reports it, or notes it if the data set lacks the table.
func ReadADVETA(r io.Reader, name string, kind Side, dbs []*Database, report func(error)) (Buckets, error) {
	byID := lists.Index(dbs, func(db *Database) string { return db.ID })
	a := &advetaReader{name: name, kind: kind, dbs: byID, buckets: Buckets{}, seenTables: map[string]bool{}, report: report}
	s := newScanner(r)
	err := s.eachMember(func(i int, id string) (bool, error) {
		raw, problem, err := s.nextValue()
		if err != nil {
			return false, err
		}
		a.record = i
		if problem == nil {
			problem = a.readTable(id, raw)
		}
		switch {
		case errors.Is(problem, errUnknownName):
			a.note(id, "%w", problem)
		case problem != nil:
			report(a.problem(id, problem))
		}
		return true, nil
	})
	return a.buckets, s.endError(name, nil, err)
}

// errUnknownName is the error of a table whose database or columns the data set lacks. It is
// only a note.
var errUnknownName = errors.New("is unknown, expected one that the split asks about; its names are not used")

// advetaReader reads one file of ADVETA.
type advetaReader struct {
	name       string
	kind       Side
	dbs        map[string]*Database
	seenTables map[string]bool
	record     int
	buckets    Buckets
	report     func(error)
}

// problem returns an error of the table with an ADVETA id.
func (a *advetaReader) problem(id string, err error) error {
	return &RecordError{File: a.name, Record: a.record, Err: fmt.Errorf("%s: %w", Clip(id), err)}
}

// note reports a harmless problem of the table with an ADVETA id.
func (a *advetaReader) note(id, format string, args ...any) {
	a.report(Note(a.problem(id, fmt.Errorf(format, args...))))
}

// readTable adds the candidates for the columns of one table to the side of their buckets that the file is about:
// ADVETA has a file for REPLACE and one for ADD. Columns with equal headers share the candidates of the header.
func (a *advetaReader) readTable(id string, raw []byte) error {
	var t advetaTable
	if err := Decode(raw, &t); err != nil {
		return err
	}
	if err := cmp.Or(Require("header", t.Header != nil), Require("dict", t.Dict != nil)); err != nil {
		return err
	}
	if a.seenTables[id] {
		return errors.New("table is there already, expected each once; this one is left out")
	}
	a.seenTables[id] = true
	columns, err := a.tableColumns(id, &t)
	if err != nil {
		return err
	}
	for _, header := range slices.Sorted(maps.Keys(*t.Dict)) {
		candidates := a.cleanCandidates(id, t.Header, header, (*t.Dict)[header])
		if len(columns[header]) == 0 {
			a.note(id, "dict has %q, expected a header of the table; it is left out", Clip(header))
		}
		for _, column := range columns[header] {
			bucket := a.buckets[column.Key()]
			names := a.kind.Of(&bucket) // its REPLACE or ADD names
			*names = append(*names, candidates...)
			a.buckets[column.Key()] = bucket
		}
	}
	return nil
}

// tableColumns returns the columns of the data set for each header of a table; id names the table in messages. Several
// columns may have the same header; they share one entry of "dict". A table with a db_id is one of Spider's, and its
// columns are matched by position. A table with an id is of WikiSQL or WTQ, where it is a database of its own; if the
// data set lacks it, the headers are the names of its columns.
func (a *advetaReader) tableColumns(id string, t *advetaTable) (map[string][]ColumnID, error) {
	columns := map[string][]ColumnID{}
	if t.DB == "" {
		if t.SourceID == "" {
			return nil, errors.New(`lacks "db_id" and "id", expected one of them`)
		}
		if db := a.dbs[t.SourceID]; db != nil {
			return a.sourceColumns(id, t, db)
		}
		for _, header := range t.Header {
			if columns[header] == nil { // equal headers are equal columns here
				columns[header] = []ColumnID{{DB: t.SourceID, Table: t.SourceID, Column: header}}
			}
		}
		return columns, nil
	}
	db := a.dbs[t.DB]
	if db == nil {
		return nil, fmt.Errorf("db_id %q %w", Clip(t.DB), errUnknownName)
	}
	tableIndex := db.Table(t.Table)
	if tableIndex < 0 {
		return nil, fmt.Errorf("table %q of database %s %w", Clip(t.Table), t.DB, errUnknownName)
	}
	table := db.Tables[tableIndex]
	if len(t.Header) != len(table.Columns) {
		return nil, fmt.Errorf("header has %d columns, expected %d as %s.%s has", len(t.Header), len(table.Columns), t.DB, table.Original)
	}
	for i, header := range t.Header {
		if i < len(t.Original) && !strings.EqualFold(t.Original[i], table.Columns[i].Original) {
			a.note(id, "column %d is %q, expected %q as in tables.json; matched by position", i, Clip(t.Original[i]), table.Columns[i].Original)
		}
		columns[header] = append(columns[header], db.ColumnID(ColumnRef{tableIndex, i}))
	}
	return columns, nil
}

// sourceColumns returns what [advetaReader.tableColumns] does for a table of WikiSQL or WTQ that the data set has as the
// database db. Headers match the table's own columns by position; derived and fixed columns of Squall are skipped. A header
// that differs from the name of its column gets a note.
func (a *advetaReader) sourceColumns(id string, t *advetaTable, db *Database) (map[string][]ColumnID, error) {
	if len(db.Tables) != 1 {
		return nil, fmt.Errorf("database %s has %d tables, expected one as ADVETA has", db.ID, len(db.Tables))
	}
	columnsOfTable, ownIndices := db.Tables[0].Columns, db.Tables[0].OwnColumns()
	if len(t.Header) != len(ownIndices) {
		return nil, fmt.Errorf("header has %d columns, expected %d as database %s has", len(t.Header), len(ownIndices), db.ID)
	}
	columns := map[string][]ColumnID{}
	for i, header := range t.Header {
		c := columnsOfTable[ownIndices[i]]
		if !slices.Contains([]string{asciiWords(c.Name), asciiWords(c.Header)}, asciiWords(header)) {
			a.note(id, "column %d is %q, expected %q as in the data set; matched by position", i, Clip(header), Clip(c.Name))
		}
		columns[header] = append(columns[header], db.ColumnID(ColumnRef{0, ownIndices[i]}))
	}
	return columns, nil
}

// asciiWords returns the ASCII letters, in lower case, and digits of a name, for comparison, because sources write other signs
// differently: "schoolclubteam" for "school/club team" and "School club team", "areakm2" for "area (km²)" and "area km2".
func asciiWords(name string) string {
	return strings.ToLower(nonAlphanumeric.ReplaceAllString(strings.ReplaceAll(name, "²", "2"), ""))
}

// nonAlphanumeric matches the characters that [asciiWords] removes.
var nonAlphanumeric = lazyregexp.New(`[^A-Za-z0-9]+`)

// cleanCandidates returns the usable names of a list as candidates for the column with a header.
// Each name that is changed or left out gets a note.
func (a *advetaReader) cleanCandidates(id string, headers []string, header string, names []string) []Candidate {
	var candidates []Candidate
	seen := map[string]bool{}
	for _, raw := range names {
		name := strings.ToLower(strings.Join(strings.Fields(raw), " "))
		problem := checkCandidateName(name)
		equalsHeader := slices.ContainsFunc(headers, func(h string) bool { return strings.EqualFold(h, name) })
		switch {
		case problem != nil:
			a.note(id, "%q has the candidate %q, which %w; it is left out", Clip(header), Clip(name), problem)
			continue
		case seen[name]:
			a.note(id, "%q has the candidate %q twice; the second is left out", Clip(header), Clip(name))
			continue
		case equalsHeader:
			a.note(id, "%q has the candidate %q, which is a header of the table; it is left out", Clip(header), Clip(name))
			continue
		case name != raw:
			a.note(id, "%q has the candidate %q, expected lower case and no blanks around it; taken as %q", Clip(header), Clip(raw), Clip(name))
		}
		seen[name] = true
		candidates = append(candidates, Candidate{Name: name, Source: ADVETASource, Evidence: id})
	}
	return candidates
}
