package retriever

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2"
	zap "github.com/blevesearch/zapx/v15"
)

// TestImportChangesNothing has the library build an index of many documents with the form
// of segments that this package also uses: importing the package replaces no part of it.
func TestImportChangesNothing(t *testing.T) {
	if _, err := invert(t.Context(), t, 10, 1); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index")
	b, err := bleve.NewBuilder(path, bleve.NewIndexMapping(), map[string]any{
		"buildPathPrefix": t.TempDir(), "forceSegmentType": zap.Type, "forceSegmentVersion": int(zap.Version),
	})
	if err != nil {
		t.Fatal(err)
	}
	const documents = 3
	for i := range documents {
		if err := b.Index(fmt.Sprint(i), map[string]any{"name": "club"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	x, err := bleve.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := x.DocCount()
	if err := errors.Join(err, x.Close()); err != nil || n != documents {
		t.Errorf("the library's own index has %d documents, %v; expected %d", n, err, documents)
	}
}
