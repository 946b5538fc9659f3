package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
)

// bucketsVersion is the version of the form of buckets.json.
const bucketsVersion = 1

// BucketColumn is a column with its bucket, as buckets.json has it.
type BucketColumn struct {
	DB      string      `json:"db_id"`
	Table   string      `json:"table"`
	Column  string      `json:"column"`
	Replace []Candidate `json:"replace"`
	Add     []Candidate `json:"add"`
}

// ID returns the identity of the column.
func (c BucketColumn) ID() ColumnID { return ColumnID{DB: c.DB, Table: c.Table, Column: c.Column} }

// BucketColumns returns the columns of db that have a bucket, in the order of
// tables.json.
func BucketColumns(db *Database, buckets Buckets) iter.Seq[BucketColumn] {
	return func(yield func(BucketColumn) bool) {
		for t, table := range db.Tables {
			for c := range table.Columns {
				id := db.ColumnID(ColumnRef{t, c})
				b, ok := buckets[id.Key()]
				if ok && !yield(BucketColumn{id.DB, id.Table, id.Column, b.Replace, b.Add}) {
					return
				}
			}
		}
	}
}

// BucketsWriter writes a buckets.json with one candidate per line, so that people can
// curate it and tools compare it.
type BucketsWriter struct {
	Without string // parts of the pipeline that made the candidates without; set before the first Write

	w       io.Writer
	seed    uint64
	columns int
}

// NewBucketsWriter begins a buckets.json; seed is the one that the candidates
// were made with.
func NewBucketsWriter(w io.Writer, seed uint64) *BucketsWriter {
	return &BucketsWriter{w: w, seed: seed}
}

// Write adds a column with its candidates.
func (w *BucketsWriter) Write(c BucketColumn) error {
	var b bytes.Buffer
	w.writeHead(&b)
	if w.columns > 0 {
		b.WriteByte(',')
	}
	w.columns++
	var failed error
	inJSON := func(v any) []byte {
		raw, err := encode(v, "", "")
		failed = cmp.Or(failed, err)
		return raw
	}
	fmt.Fprintf(&b, "\n  {\n   \"db_id\": %s, \"table\": %s, \"column\": %s", inJSON(c.DB), inJSON(c.Table), inJSON(c.Column))
	for _, side := range Sides() {
		fmt.Fprintf(&b, ",\n   %q: [", side)
		separator, end := "", "" // an empty list is []
		for _, candidate := range *side.Of(&Bucket{c.Replace, c.Add}) {
			fmt.Fprintf(&b, "%s\n    %s", separator, inJSON(candidate))
			separator, end = ",", "\n   "
		}
		b.WriteString(end + "]")
	}
	b.WriteString("\n  }")
	if failed != nil {
		return failed
	}
	_, err := w.w.Write(b.Bytes())
	return err
}

// writeHead writes the head of the file before the first column, or before the end of a file without columns. For the member
// "without" see [BucketsWithout].
func (w *BucketsWriter) writeHead(b *bytes.Buffer) {
	if w.columns == 0 {
		without := ""
		if w.Without != "" {
			without = fmt.Sprintf(" \"without\": %q,\n", w.Without)
		}
		fmt.Fprintf(b, "{\n \"version\": %d,\n \"seed\": %d,\n%s \"columns\": [", bucketsVersion, w.seed, without)
	}
}

// Close ends the file; it does not close the writer below.
func (w *BucketsWriter) Close() error {
	var b bytes.Buffer
	w.writeHead(&b)
	if w.columns > 0 {
		b.WriteString("\n ")
	}
	b.WriteString("]\n}\n")
	_, err := w.w.Write(b.Bytes())
	return err
}

// WriteBuckets writes buckets as a buckets.json: first the columns of dbs in their order, then
// all other columns by name.
func WriteBuckets(w io.Writer, seed uint64, dbs []*Database, buckets Buckets) error {
	out := NewBucketsWriter(w, seed)
	done := map[ColumnID]bool{}
	for _, db := range dbs {
		for c := range BucketColumns(db, buckets) {
			done[c.ID().Key()] = true
			if err := out.Write(c); err != nil {
				return err
			}
		}
	}
	rest := slices.SortedFunc(maps.Keys(buckets), ColumnID.compare)
	for _, id := range rest {
		if done[id] {
			continue
		}
		b := buckets[id]
		if err := out.Write(BucketColumn{id.DB, id.Table, id.Column, b.Replace, b.Add}); err != nil {
			return err
		}
	}
	return out.Close()
}

// compare orders columns by database, table and name.
func (id ColumnID) compare(other ColumnID) int {
	return slices.Compare([]string{id.DB, id.Table, id.Column}, []string{other.DB, other.Table, other.Column})
}

// MergeBuckets joins buckets column by column. If a side of a column has several candidates of
// one name, the first counts.
func MergeBuckets(all ...Buckets) Buckets {
	merged := Buckets{}
	for _, buckets := range all {
		for id, b := range buckets {
			m := merged[id]
			m.Replace = mergeCandidates(m.Replace, b.Replace)
			m.Add = mergeCandidates(m.Add, b.Add)
			merged[id] = m
		}
	}
	return merged
}

// mergeCandidates appends to a the candidates of b whose names a lacks.
func mergeCandidates(a, b []Candidate) []Candidate {
	a = slices.Grow(slices.Clip(a), len(b)) // a new array, so that the caller's is not written to
	for _, c := range b {
		if !slices.ContainsFunc(a, func(other Candidate) bool { return other.Name == c.Name }) {
			a = append(a, c)
		}
	}
	return a
}
