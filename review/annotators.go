package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/filecheck"
)

// ReadAnnotators reads files of decisions, each of another annotator. A file in which no line is a decision is an error; an empty
// file is none.
func ReadAnnotators(paths []string, report func(error)) (all []*Verdicts, err error) {
	pathOf := map[string]string{} // by annotator
	for _, path := range paths {
		var problems []error
		v, err := ReadVerdicts(path, func(err error) { problems = append(problems, err) })
		if err != nil {
			return nil, err
		}
		if len(v.Items)+len(v.Comments) == 0 && slices.ContainsFunc(problems, isLeftOut) {
			return nil, fmt.Errorf("%s: holds no decision, expected a file that review wrote: %w", path, problems[0])
		}
		for _, p := range problems {
			report(p)
		}
		if other, twice := pathOf[v.Annotator]; twice {
			return nil, fmt.Errorf("%s: is of the annotator %q, as %s is, expected a file of each", path, v.Annotator, other)
		}
		pathOf[v.Annotator] = path
		all = append(all, v)
	}
	return all, nil
}

// isLeftOut reports whether an error is the reason why a record was left out; a note leaves none out.
func isLeftOut(err error) bool {
	_, ok := errors.AsType[*dataset.RecordError](err)
	return ok && !dataset.IsNote(err)
}

// Check returns an error if there are no decisions, or if the buckets lack more than half of the names that were decided on. If they
// lack fewer, it passes the number to note. buckets names the files, for messages.
func (m *Merged) Check(buckets string, note func(error)) error {
	switch {
	case m.Asked+m.Added == 0:
		return errors.New("nothing was decided on any name, expected some decisions to merge")
	case 2*m.Lacking > m.Asked:
		return fmt.Errorf("--buckets %s: lacks %d of the %d names that were decided on, expected the buckets that the decisions are about", buckets, m.Lacking, m.Asked)
	case m.Lacking > 0:
		note(fmt.Errorf("%s: lacks %d of the %d names that were decided on; they are left out", buckets, m.Lacking, m.Asked))
	}
	return nil
}

// IsADVETA reports whether a file of buckets is in ADVETA's form, which names columns only by
// their table's id.
func IsADVETA(path string) bool {
	if _, ok := dataset.SideOf(path); !ok {
		return false
	}
	m, ok, err := dataset.FirstMember(path) // a buckets.json begins with version, seed or columns
	return ok && err == nil && !slices.Contains([]string{"version", "seed", "columns"}, m.Key)
}

// ReadBuckets reads and joins the buckets that were decided on. Without databases, every column
// is of an unknown one, so that only records that cannot be read are reported.
func ReadBuckets(paths []string, dbs []*dataset.Database, report func(error)) (buckets dataset.Buckets, err error) {
	for _, path := range paths {
		b, err := dataset.ReadAnyBuckets(path, dbs, func(err error) {
			if _, ok := errors.AsType[*dataset.RecordError](err); ok || dbs != nil {
				report(err)
			}
		})
		if err != nil {
			return nil, err
		}
		buckets = dataset.MergeBuckets(buckets, b)
	}
	return buckets, nil
}

// BucketsSeed returns the seed in a buckets.json, or byDefault if the file has none. It reports no fault of the file: reading the
// buckets does. io.EOF ends the reading of its members.
func BucketsSeed(path string, byDefault uint64) uint64 {
	seed := byDefault
	_ = dataset.RawMembers(path, func(error) {}, func(m dataset.Raw) error {
		switch {
		case m.Key == "columns": // the seed comes before them
			return io.EOF
		case m.Key != "seed", json.Unmarshal(m.JSON, &seed) != nil:
			return nil
		}
		return io.EOF
	})
	return seed
}

// Judgement sums up the grades of a sheet: a [Validity] or a [RecordValidity].
type Judgement interface {
	// WriteText prints it for people.
	WriteText(w io.Writer) error
}

// ReadValidity reads a sheet of names or of records and a file of grades of each judge, and sums
// them up. Lines that cannot be used are reported and left out.
func ReadValidity(sheet string, paths []string, report func(error)) (Judgement, error) {
	if isRecordSheet(sheet) {
		return readValidity(sheet, paths, report, readRecordKey, readRecordGrades, judgedRecords)
	}
	return readValidity(sheet, paths, report, readNameKey, readGrades, judgedNames)
}

// readValidity reads the key of a sheet, in lines of type N, and the grades of each judge, and sums them up. keyOf, gradesOf and sum
// are the functions for the kind of sheet.
func readValidity[N any, V Judgement](sheet string, paths []string, report func(error), keyOf func(string, func(error)) ([]N, error),
	gradesOf func(string, []N, func(error)) (*Judge, error), sum func([]N, []*Judge) V) (Judgement, error) {
	key, err := keyOf(sheet, report)
	if err != nil {
		return nil, err
	}
	judges, err := readJudges(paths, func(path string) (*Judge, error) { return gradesOf(path, key, report) })
	if err != nil {
		return nil, err
	}
	return sum(key, judges), nil
}

// readJudges reads the files of judges. A file that is given twice is an error: it would agree with itself.
func readJudges(paths []string, read func(path string) (*Judge, error)) (judges []*Judge, err error) {
	for i, path := range paths {
		if slices.ContainsFunc(paths[:i], func(p string) bool { return filecheck.Same(p, path) }) {
			return nil, fmt.Errorf("%s: is given twice, expected a file of each judge", path)
		}
		j, err := read(path)
		if err != nil {
			return nil, err
		}
		judges = append(judges, j)
	}
	return judges, nil
}
