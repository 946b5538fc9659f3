package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// unusableRecords reports records that cannot be used.
func unusableRecords(d *directory, r *reporter) error {
	for _, e := range d.skipped {
		r.file(e.File, e.Record, "%v", e.Err)
	}
	return nil
}

// oddRecords reports records with a warning.
func oddRecords(d *directory, r *reporter) error {
	for _, e := range d.warnings {
		r.file(e.File, e.Record, "%v", e.Err)
	}
	return nil
}

// withoutGold reports the number of examples without gold SQL.
func withoutGold(d *directory, r *reporter) error {
	isWithout := func(ex *dataset.Example) bool { return ex.Query == "" }
	if n := lists.Sum(d.units, func(u *dataset.Unit) int { return lists.Count(u.Examples, isWithout) }); n > 0 {
		r.file(d.examples, 0, "no gold SQL in %s", table.Count(n, "example"))
	}
	return nil
}

// splits are the names under which data sets keep examples.
var splits = []string{"train", "train_spider", "train_others", "dev", "test"}

// sharedDatabases reports databases that another split of the directory asks about too, if exactly one of the two splits is for
// training: training then leaks into evaluation.
func sharedDatabases(d *directory, r *reporter) error {
	for _, split := range splits {
		files, err := dataset.InputFiles(d.path, split) // of the schemas and of the examples
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		other := files[1]
		if other == d.examples || isTraining(other) == isTraining(d.examples) {
			continue
		}
		asked := map[string]int{}
		// Faults of the other split are not reported: it is not audited.
		_ = dataset.ReadExamples(filepath.Join(d.path, other), func(error) {}, func(ex *dataset.Example) error {
			asked[ex.DB]++
			return nil
		})
		for _, u := range d.units {
			if n := asked[u.DB.ID]; n > 0 {
				r.add(Finding{DB: u.DB.ID, Index: -1, File: other, Detail: table.Count(n, "example") + " of it ask about the database too"})
			}
		}
	}
	return nil
}

// isTraining reports whether a file holds examples for training, by its name.
func isTraining(file string) bool { return strings.HasPrefix(filepath.Base(file), "train") }

// unknownDatabases reports folders below database/ whose name is no db_id of tables.json.
func unknownDatabases(d *directory, r *reporter) error {
	entries, err := os.ReadDir(filepath.Join(d.path, "database"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		file := filepath.Join("database", e.Name())
		if e.IsDir() && d.databases[e.Name()] == nil {
			r.file(file, 0, "is of no database of tables.json")
		}
	}
	return nil
}
