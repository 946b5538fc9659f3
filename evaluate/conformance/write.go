package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// birdSeparator separates the SQL from the db_id in BIRD's predictions.
const birdSeparator = "\t----- bird -----\t"

// Write writes the suite to the new directory dir, in the layout that the
// official evaluators read:
//
//	tables.json                        the schemas
//	database/DB_ID/DB_ID.sqlite        a database for each pair
//	exact/gold.sql, exact/pred.sql     the pairs of the cases about exact match
//	execution/gold.sql, …/pred.sql     those about execution
//	exec-first/gold.sql, …/pred.sql    those about Spider's first execution metric
//	bird/gold.sql, bird/pred.json      those about BIRD's prediction file
//	…/expected.tsv                     the verdicts, a line for each pair
//	cases.json                         all of it as data
//
// Equal suites give equal bytes. A directory that an earlier Write made is
// replaced; any other that exists is an error.
func (s *Suite) Write(ctx context.Context, dir string) error {
	out, err := outdir.NewDir(dir, "cases.json")
	if err != nil {
		return err
	}
	if err := out.Restart(); err != nil {
		return err
	}
	if err := s.write(ctx, out); err != nil {
		out.Abort()
		return err
	}
	return out.Commit()
}

// write writes the files of the suite.
func (s *Suite) write(ctx context.Context, out *outdir.Dir) error {
	err := dataset.CreateFile(out.Path("tables.json"), func(w *bufio.Writer) error {
		tw := dataset.NewTablesWriter(w)
		for _, p := range s.Pairs() {
			if err := tw.Write(s.Schema(p)); err != nil {
				return err
			}
		}
		return tw.Close()
	})
	if err != nil {
		return err
	}
	parts := map[string][]*Pair{}
	for _, p := range s.Pairs() {
		if err := s.createDatabase(ctx, out.Path(), p); err != nil {
			return err
		}
		part := p.Case.Metric
		if p.Case.Keyed {
			part = "bird"
		}
		parts[part] = append(parts[part], p)
	}
	for _, part := range []string{Exact, Execution, First, "bird"} {
		if err := s.writePart(out.Path(part), parts[part], part == "bird"); err != nil {
			return err
		}
	}
	return os.WriteFile(out.Path("cases.json"), casesJSON, 0o666)
}

// createDatabase creates the database of a pair below dir.
func (s *Suite) createDatabase(ctx context.Context, dir string, p *Pair) error {
	path := dataset.SQLitePath(dir, s.Schema(p).ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tables, rows := s.tables(p)
	return sqlite.Create(ctx, path, tables, rows)
}

// writePart writes the pairs of one metric to a folder. If keyed is set, it writes the predictions in the form
// of BIRD.
func (s *Suite) writePart(dir string, pairs []*Pair, keyed bool) error {
	gold := func(w *bufio.Writer) error {
		for _, p := range pairs {
			if err := dataset.WriteGold(w, p.Gold, s.Schema(p).ID); err != nil {
				return fmt.Errorf("pair %s: %w", p.ID, err)
			}
		}
		return nil
	}
	predName, pred := "pred.sql", func(w *bufio.Writer) error {
		for _, p := range pairs {
			if strings.ContainsAny(p.Pred, "\n\r\t") {
				return fmt.Errorf("pair %s: prediction on several lines", p.ID)
			}
			fmt.Fprintln(w, p.Pred)
		}
		return nil
	}
	if keyed {
		predName, pred = "pred.json", func(w *bufio.Writer) error { return s.writeKeyed(w, pairs) }
	}
	expected := func(w *bufio.Writer) error {
		fmt.Fprintln(w, "pair\tdb_id\tevaluator\tplug_value\texpected\tofficial\tparity")
		for _, p := range pairs {
			fmt.Fprintf(w, "%s\t%s\t%s\t%t\t%s\t%s\t%s\n", p.ID, s.Schema(p).ID, p.Case.Evaluator, p.PlugValue, p.Expected, p.Official, p.Parity)
		}
		return nil
	}
	for _, f := range []struct {
		name  string
		write func(*bufio.Writer) error
	}{{"gold.sql", gold}, {predName, pred}, {"expected.tsv", expected}} {
		if err := dataset.CreateFile(filepath.Join(dir, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}

// writeKeyed writes predictions as a JSON object keyed by index, as BIRD does. The last comes first, because
// evaluators must not rely on the order of the members.
func (s *Suite) writeKeyed(w *bufio.Writer, pairs []*Pair) error {
	separator := "{"
	for i := len(pairs) - 1; i >= 0; i-- {
		member, err := json.Marshal(pairs[i].Pred + birdSeparator + s.Schema(pairs[i]).ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n  \"%d\": %s", separator, i, member)
		separator = ","
	}
	_, err := io.WriteString(w, "\n}\n")
	return err
}
