package verify

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

// mostKnown bounds the answers that are kept, in cells.
const mostKnown = 1 << 20

// Known stores the answers of queries on a content and on drafts of it, by the program that the
// engine compiles a query to: a program that reads the same pages in the same steps has the same
// answer, whatever columns and tables are called. It is safe for concurrent use.
type Known struct {
	mu      sync.Mutex
	answers map[[sha256.Size]byte]known
	cells   int
}

type known struct {
	res *sqldata.Result
	err error
}

// query returns the stored answer of a query's program, or runs the query on db and stores the
// answer. draft names the draft that db is, "" for the content itself.
func (k *Known) query(ctx context.Context, db *sqlite.DB, draft, query string, limits sqlite.Limits) (*sqldata.Result, error) {
	program := db.Program(ctx, query)
	if program == "" {
		return db.Query(ctx, query, limits)
	}
	if strings.Contains(program, sqlite.CellFunction) {
		program = draft + "\x00" + program // computes cells of its own
	}
	key := sha256.Sum256([]byte(program))
	k.mu.Lock()
	found, ok := k.answers[key]
	k.mu.Unlock()
	if ok {
		return found.res, found.err
	}
	res, err := db.Query(ctx, query, limits)
	if ctx.Err() == nil {
		k.add(key, known{res, err})
	}
	return res, err
}

// add stores an answer unless the cells of all answers would exceed mostKnown.
func (k *Known) add(key [sha256.Size]byte, answer known) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		k.answers = map[[sha256.Size]byte]known{}
	}
	if answer.res != nil {
		cells := len(answer.res.Rows) * len(answer.res.Columns)
		if k.cells+cells > mostKnown {
			return
		}
		k.cells += cells
	}
	k.answers[key] = answer
}
