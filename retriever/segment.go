package retriever

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"
	"go.etcd.io/bbolt"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// documentOf returns a document with one field of terms, which blanks separate. It equals
// the document that the library makes by termMapping.
func documentOf(ordinal int, terms string) *document.Document {
	d := document.NewDocument(strconv.Itoa(ordinal))
	d.AddField(newTermField(strings.Fields(terms)))
	d.AddField(document.NewCompositeFieldWithIndexingOptions("_all", true, nil, []string{textField}, index.IndexField|index.IncludeTermVectors))
	d.AddIDField()
	d.VisitFields(func(f index.Field) { f.Analyze() })
	return d
}

// termField is a field whose terms need no analysis.
type termField struct {
	*document.TextField
	length      int
	frequencies index.TokenFrequencies
}

// newTermField returns the field of a document with the given terms: their number and how often each occurs.
func newTermField(terms []string) *termField {
	f := &termField{document.NewTextFieldCustom(textField, nil, nil, index.IndexField, nil), len(terms), make(index.TokenFrequencies, len(terms))}
	entries := make([]index.TokenFreq, len(terms)) // one allocation for all terms
	for i, term := range terms {
		t, ok := f.frequencies[term]
		if !ok {
			t = &entries[i]
			t.Term = []byte(term)
			f.frequencies[term] = t
		}
		t.SetFrequency(t.Frequency() + 1)
	}
	return f
}

// Analyze implements [index.Field].
func (f *termField) Analyze() {}

// AnalyzedLength implements [index.Field].
func (f *termField) AnalyzedLength() int { return f.length }

// AnalyzedTokenFrequencies implements [index.Field].
func (f *termField) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.frequencies }

// removeTimestamp removes from the library's list of segments the time at which it was
// written, so that two builds have the same bytes. Nothing reads the time. The list is
// rewritten, because its free pages still hold the time.
func removeTimestamp(path string) (err error) {
	timed, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, timed.Close()) }()
	err = timed.Update(func(tx *bbolt.Tx) error {
		snapshots := tx.Bucket(util.BoltSnapshotsBucket)
		return snapshots.ForEachBucket(func(epoch []byte) error {
			meta := snapshots.Bucket(epoch).Bucket(util.BoltMetaDataKey)
			return meta.Put(util.BoltMetaDataTimeStamp, []byte(time.Time{}.Format(time.RFC3339Nano)))
		})
	})
	if err != nil {
		return err
	}
	return outdir.Replace(path, func(tmp string) error {
		plain, err := bbolt.Open(tmp, 0o600, nil)
		if err != nil {
			return err
		}
		return errors.Join(bbolt.Compact(plain, timed, 0), plain.Close(), timed.Close()) // Windows renames over no open file
	})
}
