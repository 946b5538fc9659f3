package review

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/dataset/recordfile"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// Criterion takes the role of a bucket in decisions on records: its names are those of the
// [Criteria].
const Criterion dataset.Side = "criterion"

// criteria are the questions about a record. A record is valid if all of them hold.
var criteria = []dataset.Candidate{
	{Name: "meaning", Evidence: "The question after asks for what its gold SQL after returns, no more and no less, under the schema after."},
	{Name: "natural", Evidence: "A person could have typed the question after."},
	{Name: "category", Evidence: "The change does what the definition says, not merely something."},
}

// criteriaNames returns the names of the criteria, in the order in which judges answer.
func criteriaNames() []string {
	return lists.Map(criteria, func(c dataset.Candidate) string { return c.Name })
}

// isCriterion reports whether a criterion has the name.
func isCriterion(name string) bool { return slices.Contains(criteriaNames(), name) }

// RecordID names a record of a build in files that outlive it.
type RecordID struct {
	Perturbation string `json:"perturbation"`
	Example      int32  `json:"example"`
	Sample       int32  `json:"sample"`
	After        string `json:"after"` // hash of its texts after, so that another draft is another record
}

// IDOf returns the id of a record. The hash in the id of its variant identifies the schema after.
func IDOf(r *dataset.Record) RecordID {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", r.DBPost, r.QuestionPost, r.QueryPost))
	return RecordID{r.Perturbation, r.Example, r.Sample, hex.EncodeToString(sum[:8])}
}

// afterHash matches [RecordID.After].
var afterHash = lazyregexp.New(`^[0-9a-f]{16}$`)

// check returns an error unless an id has all its parts, in their form.
func (id *RecordID) check() error {
	switch {
	case id.Perturbation == "", len(id.Perturbation) > maxName, id.Example < 0, id.Sample < 0:
		return fmt.Errorf("record is example %d, sample %d of %q, expected numbers from 0 and the name of a perturbation", id.Example, id.Sample, dataset.Clip(id.Perturbation))
	case !afterHash.MatchString(id.After):
		return fmt.Errorf("after of the record is %q, expected 16 hexadecimal digits", dataset.Clip(id.After))
	}
	return nil
}

// place describes for people which record of its perturbation it is.
func (id *RecordID) place() string {
	return fmt.Sprintf("example %d, sample %d", id.Example, id.Sample)
}

// subject returns the id that represents the record in data that are stored by column.
func (id *RecordID) subject() dataset.ColumnID {
	return dataset.ColumnID{DB: id.Perturbation, Table: id.place(), Column: id.After}
}

// Refuses returns the reason why a build does not keep a record: "" (it is kept) if for each criterion more than half of the
// annotators who decided on it accept it, "not-reviewed" if only criteria without a decision stop it.
func Refuses(annotators []*Verdicts, r *dataset.Record) perturb.Reason {
	id := IDOf(r)
	open := false
	for _, name := range criteriaNames() {
		answer, votes, _ := majority(Item{id.subject(), Criterion, name}, annotators)
		switch {
		case votes == 0:
			open = true
		case answer != Accept:
			return "not-accepted"
		}
	}
	if open {
		return "not-reviewed"
	}
	return ""
}

// OnRecords counts the records on which the annotator decided.
func (v *Verdicts) OnRecords() int {
	records := map[dataset.ColumnID]bool{}
	for item := range v.Items {
		if item.Side == Criterion {
			records[item.Column] = true
		}
	}
	return len(records)
}

// texts are the perturbation, the questions and the gold SQL of a record.
type texts [5]string

// textsOf returns the texts of a record.
func textsOf(r *record) texts {
	return texts{r.Perturbation, r.QuestionPre, r.QuestionPost, r.QueryPre, r.QueryPost}
}

// record is a record of a build, with its id.
type record struct {
	id RecordID
	dataset.Record
}

// LoadRecords reads the records of a build to decide on, of the perturbations that chosen accepts.
// It leaves out the turns of an interaction that the perturbation did not change. A record that cannot be used is reported and skipped.
func LoadRecords(dir string, chosen func(perturbation string) bool, report func(error)) (*Data, error) {
	defer saveMemory()()
	m, err := benchmark.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	d := &Data{byID: map[dataset.ColumnID]int{}, build: newBuild(dir, m)}
	path, n := filepath.Join(dir, benchmark.RecordsFile), 0
	positions := map[string]int{} // of databases, by id
	err = recordfile.Read(path, func(r dataset.Record) error {
		n++
		if r.Unchanged() || !chosen(r.Perturbation) {
			return nil
		}
		if err := d.addRecord(&record{IDOf(&r), r}, positions); err != nil {
			report(&dataset.RecordError{File: path, Record: n, Err: err})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(d.columns) == 0 {
		return nil, fmt.Errorf("%s: has no record to decide on, expected some", dir)
	}
	d.doubted = d.orderByDoubt()
	return d, nil
}

// addRecord adds a record to decide on, or returns why it cannot be used. positions has the position of each database so far, by id.
func (d *Data) addRecord(r *record, positions map[string]int) error {
	key := r.id.subject().Key()
	_, known := d.build.definitions[r.Perturbation]
	switch _, again := d.byID[key]; {
	case !known:
		return fmt.Errorf("perturbation is %q, expected one of manifest.json", dataset.Clip(r.Perturbation))
	case again:
		return errors.New("is of the same perturbation, example and sample as an earlier one and reads like it, expected it once")
	case !dataset.ValidID(r.DBPre), !dataset.ValidID(r.DBPost):
		return fmt.Errorf("databases are %q and %q, expected ids that can name files", dataset.Clip(r.DBPre), dataset.Clip(r.DBPost))
	}
	if err := r.id.check(); err != nil {
		return err
	}
	db, ok := positions[r.DBPre]
	if !ok {
		db = len(d.databases)
		positions[r.DBPre] = db
		d.databases = append(d.databases, &database{Database: &dataset.Database{ID: r.DBPre}})
	}
	// A record is shown as a column: the perturbation is its table, the position of the record its name.
	n := len(d.columns)
	d.byID[key] = n
	d.databases[db].columns = append(d.databases[db].columns, n)
	d.build.byTexts[textsOf(r)] = append(d.build.byTexts[textsOf(r)], n)
	d.columns = append(d.columns, column{
		db: db, id: dataset.ColumnID{DB: r.DBPre, Table: r.Perturbation, Column: r.id.place()}, key: key, record: r, doubt: noDoubt,
		search: strings.ToLower(strings.Join([]string{r.DBPre, r.Perturbation, r.id.place(), r.QuestionPre, r.QuestionPost}, "\n")),
	})
	return nil
}

// things returns the noun for what a page is about.
func (d *Data) things() string { return d.word("columns", "records") }

// items returns the noun for what a reviewer decides on.
func (d *Data) items() string { return d.word("names", "criteria") }

// source returns the noun for what was read: buckets of names, or a build of records.
func (d *Data) source() string { return d.word("buckets", "build") }

// word returns the wording for reviews of names or for reviews of records.
func (d *Data) word(ofNames, ofRecords string) string {
	if d.build != nil {
		return ofRecords
	}
	return ofNames
}
