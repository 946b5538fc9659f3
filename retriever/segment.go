package retriever

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v15"
	"go.etcd.io/bbolt"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// documentOf is a document of one lean field, of terms that are parted by blanks. It is what
// the library makes by termMapping.
func documentOf(ordinal int, terms string) *document.Document {
	d := document.NewDocument(strconv.Itoa(ordinal))
	d.AddField(newTermField(strings.Fields(terms)))
	d.AddField(document.NewCompositeFieldWithIndexingOptions("_all", true, nil, []string{textField}, index.IndexField|index.IncludeTermVectors))
	d.AddIDField()
	d.VisitFields(func(f index.Field) { f.Analyze() })
	return d
}

// termField is a field that needs no analysis.
type termField struct {
	*document.TextField
	length      int
	frequencies index.TokenFrequencies
}

func newTermField(terms []string) *termField {
	f := &termField{document.NewTextFieldCustom(textField, nil, nil, index.IndexField, nil), len(terms), make(index.TokenFrequencies, len(terms))}
	entries := make([]index.TokenFreq, len(terms))
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

// given is a form of the library's segments of which the builder makes none: it gives the one
// that is at the path by which its only document goes.
type given struct{ zap.ZapPlugin }

// New gives the segment that is at a path.
func (*given) New(documents []index.Document) (segment.Segment, uint64, error) {
	if len(documents) != 1 {
		return nil, 0, fmt.Errorf("%d documents, expected one with the path of a segment", len(documents))
	}
	return &givenSegment{path: documents[0].ID()}, 0, nil
}

// givenSegment is a segment that is written already.
type givenSegment struct {
	segment.UnpersistedSegment
	path string
}

// Persist puts the segment where the library has it.
func (s *givenSegment) Persist(path string) error { return os.Rename(s.path, path) }

// The library's list of forms is a plain map, so it is changed while the program starts,
// before anything reads it. An index needs the last of its forms whose own parts are in one
// order too.
func init() { scorch.RegisterSegmentPlugin(&given{}, false) }

// timeless takes from the library's list of segments when it was made, which nothing
// reads, and writes the list anew: pages that were given free still hold it.
func timeless(path string) (err error) {
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
