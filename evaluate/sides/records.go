package sides

import (
	"fmt"
	"path/filepath"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
)

// recordsFile is the table of records in the folder of a build.
const recordsFile = "records.parquet"

// Records reads the records of a build in their order. The caller calls Stop.
type Records struct {
	Path string
	Stop func()
	next func() (dataset.Record, error, bool)
}

// OpenRecords returns the records of a build. Errors of the file are returned by Next.
func (b *Build) OpenRecords() *Records {
	r := &Records{Path: filepath.Join(b.Dir, recordsFile)}
	r.next, r.Stop = dataset.Pull(func(_ func(error), each func(dataset.Record) error) error { return recordfile.Read(r.Path, each) }, nil)
	return r
}

// Next returns the next record of a perturbation, and skips the records of other perturbations before it.
func (r *Records) Next(p Perturbation) (dataset.Record, error) {
	for {
		switch rec, err, ok := r.next(); {
		case !ok:
			return rec, fmt.Errorf("%s: ends early, expected %d records of %s after those of the perturbations that manifest.json has before it", r.Path, p.Records, p.Name)
		case err != nil:
			return rec, err
		case rec.Perturbation == p.Name:
			return rec, nil
		}
	}
}

// Position identifies the example of a record, and its sample.
type Position struct {
	Example, Sample int
	Unchanged       bool // a turn without a change, next to changed turns of its interaction
}

// Positions returns the positions of the records of a perturbation, in their order.
func (r *Records) Positions(p Perturbation) ([]Position, error) {
	var all []Position // grows with the records: the manifest may claim any number of them
	for range p.Records {
		rec, err := r.Next(p)
		if err != nil {
			return nil, err
		}
		all = append(all, Position{int(rec.Example), int(rec.Sample), rec.Unchanged()})
	}
	return all, nil
}
