package retriever

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v15"
	"go.etcd.io/bbolt"

	"github.com/tabperturb/tabperturb/internal/outdir"
)

// inOrder is a form of the library's segments, with documents numbered in the order of
// their ordinals. The library takes them from a map, in a random order, so that no two
// indexes of a corpus would have the same bytes. It is the last of the library's forms
// whose own parts are in one order too.
type inOrder struct{ zap.ZapPlugin }

// New makes a segment of documents.
func (p *inOrder) New(documents []index.Document) (segment.Segment, uint64, error) {
	slices.SortFunc(documents, func(a, b index.Document) int { return cmp.Compare(ordinal(a), ordinal(b)) })
	return p.ZapPlugin.New(documents)
}

// ordinal is the number that [builder.index] gave a document for its id.
func ordinal(d index.Document) int {
	n, err := strconv.Atoi(d.ID())
	if err != nil {
		return -1 // none is made so
	}
	return n
}

// The library's list of forms is a plain map, so it is changed while the program starts,
// before anything reads it.
func init() { scorch.RegisterSegmentPlugin(&inOrder{}, false) }

// orderedForm chooses [inOrder] where an index is made.
func orderedForm() map[string]any {
	p := &inOrder{}
	return map[string]any{"forceSegmentType": p.Type(), "forceSegmentVersion": int(p.Version())}
}

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
