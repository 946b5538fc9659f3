package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/sqlite"
)

func severalStatements(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.several {
			r.gold(g, "%s", g.syntax)
		}
	}
	return nil
}

func goldSyntax(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.syntax != nil && !g.several && !g.fails() {
			r.gold(g, "%s", g.syntax)
		}
	}
	return nil
}

func goldNames(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.query != nil && len(g.binding.Problems) > 0 && !g.fails() {
			r.gold(g, "%s", g.binding.Problems[0])
		}
	}
	return nil
}

// sound tells whether gold SQL parses and its names resolve.
func (g *gold) sound() bool { return g.query != nil && len(g.binding.Problems) == 0 }

// limited tells whether gold SQL gave no answer for a limit of the audit.
func (g *gold) limited() bool {
	return errors.Is(g.err, sqlite.ErrTimeLimit) || errors.Is(g.err, sqlite.ErrTooLarge)
}

// fails tells whether the engine refuses gold SQL; what is wrong with its syntax
// and names is not told again then.
func (g *gold) fails() bool { return g.err != nil && !g.limited() && !g.several }

func goldFails(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.fails() {
			r.gold(g, "%s", g.err)
		}
	}
	return nil
}

func goldLimit(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.limited() {
			r.gold(g, "%s", g.err)
		}
	}
	return nil
}

func goldSlow(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.slow && g.err == nil {
			r.gold(g, "takes more than %s", u.slow)
		}
	}
	return nil
}

func goldNotItself(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.ran && g.err == nil && g.self.Verdict != verdict.Right {
			r.gold(g, "%s", strings.TrimSuffix(string(g.self.Reason)+": "+g.self.Detail, ": "))
		}
	}
	return nil
}

func goldUndetermined(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.doubt.Reason == execution.GoldUndetermined {
			r.gold(g, "%s", g.doubt.Detail)
		}
	}
	return nil
}

// goldEmpty leaves out databases without rows, of which all answers are empty.
func goldEmpty(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if g.empty && u.hasRows() {
			r.gold(g, "returns no rows: %s", g.sql)
		}
	}
	return nil
}

// officialParser leaves out, as [goldGrammar] does, what is wrong by SQLite's
// rules too.
func officialParser(_ context.Context, u *unit, r *reporter) error {
	schema := exact.NewSchema(u.DB)
	for _, g := range u.golds {
		if !g.sound() {
			continue
		}
		if err := schema.Gold(g.sql).Problem(); err != nil {
			r.gold(g, "%s", err)
		}
	}
	return nil
}

func goldGrammar(_ context.Context, u *unit, r *reporter) error {
	for _, g := range u.golds {
		if !g.sound() {
			continue
		}
		if _, err := dataset.SpiderSQL(g.query, g.binding, u.DB); err != nil {
			r.gold(g, "%s", err)
		}
	}
	return nil
}
