package verify

import (
	"context"
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/engine"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// maxCachedCells bounds the cached answers, in cells.
const maxCachedCells = 1 << 20

// AnswerCache stores the answers of queries on a content and on drafts of it, by the program that the
// engine compiles a query to: a program that reads the same pages in the same steps has the same
// answer, whatever columns and tables are called. It is safe for concurrent use.
type AnswerCache struct {
	mu      sync.Mutex
	answers map[[sha256.Size]byte]answered // by the hash of a program
	cells   int                            // of all answers
}

// answered is the outcome of a query.
type answered struct {
	res *sqldata.Result
	err error
}

// query returns the stored answer of a query's program, or runs the query on db and stores the
// answer. draft identifies the draft that db is; it is "" for the content itself.
func (k *AnswerCache) query(ctx context.Context, db engine.DB, draft, query string, limits sqldata.Limits) (*sqldata.Result, error) {
	program := db.Program(ctx, query)
	if program == "" { // not known
		return db.Query(ctx, query, limits)
	}
	if strings.Contains(program, sqldata.CellFunction) {
		program = draft + "\x00" + program // equal programs on two drafts may compute other cells
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
		k.add(key, answered{res, err})
	}
	return res, err
}

// add stores an answer unless the cells of all answers would exceed maxCachedCells.
func (k *AnswerCache) add(key [sha256.Size]byte, answer answered) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		k.answers = map[[sha256.Size]byte]answered{}
	}
	if answer.res != nil {
		cells := len(answer.res.Rows) * len(answer.res.Columns)
		if k.cells+cells > maxCachedCells {
			return
		}
		k.cells += cells
	}
	k.answers[key] = answer
}
