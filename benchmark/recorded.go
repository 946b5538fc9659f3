package benchmark

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark/given"
	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/perturb"
)

// ReadReplays returns the perturbations of a file of recorded edits, or of each perturbation of a
// build.
func ReadReplays(path string, report func(error)) ([]*perturb.Replayed, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		p, err := perturb.Replay(filepath.Base(path), os.DirFS(filepath.Dir(path)), report)
		return []*perturb.Replayed{p}, err
	}
	_, results, err := ReadResults(path, nil)
	if err != nil {
		return nil, err
	}
	var out []*perturb.Replayed
	for _, r := range results {
		head := perturb.ReplayHead{Name: r.Name, Doc: "Recorded edits of " + path + ".", Paper: "none", Relation: r.Relation}
		var text bytes.Buffer
		if err := perturb.WriteReplay(&text, head, ofPerturbation(filepath.Join(path, RecordsFile), r.Name)); err != nil {
			return nil, err
		}
		p, err := perturb.ReadReplay(path, &text, report)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// ofPerturbation returns the records of one perturbation of a build.
func ofPerturbation(path, name string) dataset.Stream[dataset.Record] {
	return func(_ func(error), each func(dataset.Record) error) error {
		return recordfile.Read(path, func(r dataset.Record) error {
			if r.Perturbation != name {
				return nil
			}
			return each(r)
		})
	}
}

// oneWord matches the name of reworded questions, which becomes a folder.
var oneWord = lazyregexp.New(`^[\w-]+$`)

// ReadReworded returns the perturbation human/NAME of a file of reworded questions; flag is
// NAME=FILE.
func ReadReworded(flag string, units []*dataset.Unit, report func(error)) (*perturb.Perturbation, error) {
	name, path, ok := strings.Cut(flag, "=")
	if !ok || !oneWord.MatchString(name) {
		return nil, fmt.Errorf("%q: expected NAME=FILE, with a name of one word", flag)
	}
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	var problems []error // reported only where the file is for this data set
	collect := func(err error) { problems = append(problems, err) }
	all, err := spidersyn.ReadRewordings(r, path, collect)
	if err != nil {
		return nil, err
	}
	records := spidersyn.Reworded("human/"+name, path, units, all, collect)
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: has no question for an example of the data set, expected some", path)
	}
	for _, p := range problems {
		report(p)
	}
	return spidersyn.Perturbation("human/"+name, "Questions that people reworded: "+filepath.Base(path)+".", records), nil
}

// ReadRename returns the perturbation given/NAME of a crosswalk of names for the schemas of a data directory. Schemas
// that cannot be used are not reported again.
func ReadRename(path, data string, report func(error)) (*perturb.Perturbation, error) {
	schemas, err := dataset.DirSchemas(data, func(error) {})
	if err != nil {
		return nil, err
	}
	return given.Rename(path, schemas, report)
}

// ReadMigration returns the perturbation given/NAME of a script of changes for the one database of the units.
func ReadMigration(path string, units []*dataset.Unit, report func(error)) (*perturb.Perturbation, error) {
	if len(units) != 1 {
		return nil, fmt.Errorf("%s: the questions are about %d databases, expected one: --only DB selects it", path, len(units))
	}
	return given.Migration(path, units[0].DB, report)
}
