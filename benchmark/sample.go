package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
	"github.com/tabperturb/tabperturb/sqlast"
)

// witnesses is how many rows of a join a gold SQL's answer keeps in a sample, for each of
// its SELECTs.
const witnesses = 20

// drawSample makes the sample that [DatabasesRows] writes instead of the original content, and stores the
// answers on it: the promise of a record must hold there as well. It does nothing for other choices.
func (w *work) drawSample(ctx context.Context, examples []*perturb.Example) error {
	if w.Databases != DatabasesRows || w.content.Kind != dataset.ContentOriginal {
		return nil
	}
	path := filepath.Join(w.dir.Path(shardDir), "sample", w.unit.DB.ID+".sqlite")
	if err := SampleOf(ctx, w.content.Path, path, w.Rows, examples); err != nil {
		return err
	}
	w.sample = &verify.Content{Path: path, Kind: verify.KindSample, Answers: map[int]*sqldata.Result{}}
	_, err := w.sample.Answer(ctx, examples, w.Limits, w.workers)
	return err
}

// SampleOf writes a database to dst with about the given number of rows of each table of src. It includes rows that
// the answers of gold SQL come from, and the rows to which others refer.
func SampleOf(ctx context.Context, src, dst string, rows int, examples []*perturb.Example) error {
	s, err := sqlite.NewSampler(ctx, src)
	if err != nil {
		return err
	}
	defer s.Close()
	db, err := engine.Open(ctx, src)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, ex := range examples {
		for sel := range sqlast.All[*sqlast.Select](ex.Gold) {
			if err := takeWitnesses(ctx, s, db, ex, sel); err != nil {
				return err
			}
		}
	}
	if err := s.First(rows); err != nil {
		return err
	}
	return s.Write(ctx, dst)
}

// takeWitnesses adds rows to the sample that a SELECT reads: of each table in FROM the rows of the first results of
// the join that meet WHERE, in the order of the query. It adds none if FROM has another source than tables with
// a key, or if the SELECT does not run on its own.
func takeWitnesses(ctx context.Context, s *sqlite.Sampler, db engine.DB, ex *perturb.Example, sel *sqlast.Select) error {
	var tables, keys []string
	for _, item := range sel.From {
		t, ok := item.Source.(*sqlast.Table)
		if !ok || t.Call {
			return nil
		}
		name := cmp.Or(t.Alias.Name, t.Name.Name)
		key := s.Key(t.Name.Name)
		if key == nil {
			return nil
		}
		tables = append(tables, t.Name.Name)
		for _, k := range key {
			keys = append(keys, sqldata.QuoteName(name)+"."+k)
		}
	}
	if len(tables) == 0 {
		return nil
	}
	probe := &sqlast.Query{Select: sqlast.Clone(sel)}
	if sel == ex.Gold.Select && len(sel.GroupBy) == 0 {
		probe.OrderBy = sqlast.Clone(ex.Gold).OrderBy
	}
	// The probe selects the keys of the joined rows, not its own columns: "SELECT 1", whose text is known, marks their place.
	const one = "SELECT 1"
	shown, err := sqlast.Parse(one)
	if err != nil {
		return err
	}
	probe.Select.Columns = shown.Select.Columns
	probe.Select.Distinct, probe.Select.GroupBy, probe.Select.Having = false, nil, nil
	rest := strings.TrimPrefix(probe.String(), one)
	res, err := db.Query(ctx, sqlast.JoinOperators(fmt.Sprintf("SELECT %s%s LIMIT %d", strings.Join(keys, ", "), rest, witnesses)), sqldata.Limits{})
	if ctx.Err() != nil || err != nil {
		return ctx.Err()
	}
	for _, row := range res.Rows { // the keys of all tables, one after the other
		for _, table := range tables {
			n := len(s.Key(table))
			s.Take(table, row[:n])
			row = row[n:]
		}
	}
	return nil
}
