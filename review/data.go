package review

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/nli"
)

// Data is what there is to decide on, with the schemas and questions around it. Sample
// rows are read when a table is looked at.
type Data struct {
	columns   []column
	byID      map[dataset.ColumnID]int // by [dataset.ColumnID.Key]
	databases []*database              // in the order of the data directory; those with columns
	doubted   []int                    // columns, the most doubtful first
	policy    nli.Policy
	samples   sampleCache
	build     *build // nil for names
}

// column is what one page shows: a column of the buckets file with its names, or a record
// of a build with its criteria.
type column struct {
	db     int // among the databases
	ref    dataset.ColumnRef
	id     dataset.ColumnID // in the spelling of the schema; for a record its position, for people
	key    dataset.ColumnID // under which decisions are stored: id in lower case; for a record [RecordID.subject]
	bucket dataset.Bucket
	record *record // nil for a column
	doubt  float64 // see [ListItem.Doubt]; noDoubt without scores
	search string  // what a filter by text looks through, in lower case
}

// names counts the names of a column, or the criteria of a record, to decide on.
func (c *column) names() (n int) {
	for _, side := range c.sides() {
		n += len(c.list(side))
	}
	return n
}

// sides returns the buckets of a column, or the one side of a record, Criterion.
func (c *column) sides() []dataset.Side {
	if c.record != nil {
		return []dataset.Side{Criterion}
	}
	sides := dataset.Sides()
	return sides[:]
}

// list returns the candidates of a side: those of a bucket, or the criteria of a record. It is nil for a side that c.sides lacks.
func (c *column) list(side dataset.Side) []dataset.Candidate {
	switch {
	case !slices.Contains(c.sides(), side):
		return nil
	case side == Criterion:
		return criteria
	}
	return *side.Of(&c.bucket)
}

// decision returns a decision on the column or record whose action, name and comment are still empty.
func (c *column) decision() *Decision {
	if c.record != nil {
		id := c.record.id
		return &Decision{DB: c.id.DB, Record: &id}
	}
	return &Decision{DB: c.id.DB, Table: c.id.Table, Column: c.id.Column}
}

// database is a database with the questions on it.
type database struct {
	*dataset.Database
	examples []*dataset.Example
	columns  []int
	entities map[string]string // by the table's SQL name in lower case

	once   sync.Once
	uses   map[dataset.ColumnRef][]int // positions in examples, by the columns that their gold SQL uses
	tables [][]int                     // tables that the gold SQL of an example uses
}

// LoadData reads files of buckets, plain or gzip, with their data directory and the questions of a
// split. Several files are merged by [dataset.MergeBuckets], such as ADVETA's two for one data
// set. policy must be the one that the candidates were made with: its thresholds determine which
// of them are doubtful. Problems that can be skipped are reported.
func LoadData(dir, split string, buckets []string, policy nli.Policy, report func(error)) (*Data, error) {
	defer saveMemory()()
	units, err := dataset.Units(dir, split, report)
	if err != nil {
		return nil, err
	}
	dbs := dataset.Databases(units)
	for _, u := range units { // to save memory, drop what the page does not show
		u.DB.Source = nil
		for _, ex := range u.Examples {
			ex.Source, ex.Tokens, ex.Final = nil, nil, nil
		}
	}
	// trim drops most of a file of buckets: cells and evidence.
	all, texts := dataset.Buckets{}, interned{}
	for _, path := range buckets {
		b, err := dataset.ReadAnyBuckets(path, dbs, report, texts.trim)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			b = dataset.MergeBuckets(all, b)
		}
		all = b
	}
	return newData(units, all, policy, readEntities(filepath.Join(dir, nli.EntitiesFile), report))
}

// loadGC is the percentage by which memory may grow between collections while files are
// read: half the time more than by the default, and two thirds of the memory.
const loadGC = 20

// saveMemory makes garbage collection frequent while files are read. The function that it returns restores the former frequency and
// returns free memory to the system.
func saveMemory() (done func()) {
	before := debug.SetGCPercent(loadGC)
	return func() {
		debug.SetGCPercent(before)
		debug.FreeOSMemory()
	}
}

// newData returns the columns of the buckets in the order of the units. Databases without a column in the buckets are left out.
func newData(units []*dataset.Unit, buckets dataset.Buckets, policy nli.Policy, entities map[[2]string]string) (*Data, error) {
	d := &Data{byID: map[dataset.ColumnID]int{}, policy: policy}
	for _, u := range units {
		db := &database{Database: u.DB, examples: u.Examples, entities: map[string]string{}}
		for c := range dataset.BucketColumns(u.DB, buckets) {
			key := c.ID().Key()
			ref, _ := u.DB.Lookup(c.Table, c.Column)
			if _, again := d.byID[key]; again {
				continue // names that differ in case alone: SQL cannot tell them apart either
			}
			n := len(d.columns)
			d.byID[key] = n
			db.columns = append(db.columns, n)
			col := column{
				db: len(d.databases), ref: ref, id: c.ID(), key: key,
				bucket: dataset.Bucket{Replace: c.Replace, Add: c.Add},
			}
			col.doubt, col.search = d.doubtOf(&col), searchText(db, &col)
			d.columns = append(d.columns, col)
			if e, ok := entities[[2]string{key.DB, key.Table}]; ok {
				db.entities[key.Table] = e
			}
		}
		if len(db.columns) > 0 {
			d.databases = append(d.databases, db)
		}
	}
	if len(d.columns) == 0 {
		return nil, errors.New("the buckets have no column of these databases, expected those of the data directory and split")
	}
	d.doubted = d.orderByDoubt()
	return d, nil
}

// readEntities reads the primary entities of tables, by db_id and table in lower case. There are none if the file does not exist. Problems
// are only noted: the page then does not show what a table is about.
func readEntities(path string, report func(error)) map[[2]string]string {
	entities := map[[2]string]string{}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return entities
	}
	unknown := func(err error) {
		report(dataset.Note(fmt.Errorf("the page does not say what a table is about: %w", err)))
	}
	err := dataset.Records(path, unknown, func(raw dataset.Raw) (t nli.TableEntity, err error) {
		return t, dataset.Decode(raw.JSON, &t)
	}, func(t nli.TableEntity) error {
		entities[[2]string{strings.ToLower(t.DB), strings.ToLower(t.Table)}] = t.Entity
		return nil
	})
	if err != nil {
		unknown(err)
	}
	return entities
}

// The bounds of the parts of a candidate that are shown.
const (
	maxCells    = 5
	maxEvidence = 300 // characters
)

// interned keeps one copy of texts that candidates share: sources, and the web tables
// that names come from.
type interned map[string]string

// text returns one shared copy of equal texts. The copy does not refer to the larger text that s may be a part of.
func (in interned) text(s string) string {
	if known, ok := in[s]; ok {
		return known
	}
	s = strings.Clone(s)
	in[s] = s
	return s
}

// trim shortens the texts and the list of cells of a candidate to what the page shows, and lets equal texts share memory, so that a large
// file of candidates fits.
func (in interned) trim(c *dataset.Candidate) {
	c.Name, c.Source, c.Evidence, c.Type = in.text(c.Name), in.text(c.Source), in.text(truncate(c.Evidence, maxEvidence)), dataset.Type(in.text(string(c.Type)))
	if len(c.Cells) == 0 {
		return
	}
	cells := make([]string, min(len(c.Cells), maxCells))
	for i := range cells {
		cells[i] = in.text(truncate(c.Cells[i], maxCell))
	}
	c.Cells = cells
}

// truncate returns a text as valid UTF-8, cut to maxChars characters and "…" if it is longer.
func truncate(s string, maxChars int) string {
	n := 0
	for i := range s {
		if n == maxChars {
			return strings.ToValidUTF8(s[:i], "\ufffd") + "…"
		}
		n++
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// searchText returns the text that filters search: all names of a column, its table and its candidates, in lower case.
func searchText(db *database, c *column) string {
	table := &db.Tables[c.ref.Table]
	texts := []string{c.id.DB, c.id.Table, table.Name, c.id.Column, table.Columns[c.ref.Column].Name}
	for _, candidate := range slices.Concat(c.bucket.Replace, c.bucket.Add) {
		texts = append(texts, candidate.Name)
	}
	return strings.ToLower(strings.Join(texts, "\n"))
}
