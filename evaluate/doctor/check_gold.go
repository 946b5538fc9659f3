package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

func severalStatements(_ *unit, g *gold) error {
	if g.several {
		return g.syntax
	}
	return nil
}

func goldSyntax(_ *unit, g *gold) error {
	if !g.several && !g.fails() {
		return g.syntax
	}
	return nil
}

func goldNames(_ *unit, g *gold) error {
	if g.query != nil && len(g.binding.Problems) > 0 && !g.fails() {
		return g.binding.Problems[0]
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

func goldFails(_ *unit, g *gold) error {
	if g.fails() {
		return g.err
	}
	return nil
}

func goldLimit(_ *unit, g *gold) error {
	if g.limited() {
		return g.err
	}
	return nil
}

func goldSlow(u *unit, g *gold) error {
	if g.slow && g.err == nil {
		return fmt.Errorf("takes more than %s", u.slow)
	}
	return nil
}

// goldNotItself leaves what the official evaluator replaces to [officialValue].
func goldNotItself(u *unit, g *gold) error {
	if officialValue(u, g) == nil && g.ran && g.err == nil && g.self.Verdict != verdict.Right {
		return errors.New(strings.TrimSuffix(string(g.self.Reason)+": "+g.self.Detail, ": "))
	}
	return nil
}

func goldUndetermined(_ *unit, g *gold) error {
	if g.doubt.Reason == execution.GoldUndetermined {
		return errors.New(g.doubt.Detail)
	}
	return nil
}

// goldEmpty leaves out databases without rows, of which all answers are empty.
func goldEmpty(u *unit, g *gold) error {
	if g.empty && u.hasRows() {
		return fmt.Errorf("returns no rows: %s", g.sql)
	}
	return nil
}

// officialParser leaves out, as [goldGrammar] does, what is wrong by SQLite's
// rules too.
func officialParser(u *unit, g *gold) error {
	if !g.sound() {
		return nil
	}
	return u.schema.Gold(g.sql).Problem()
}

// officialValue looks for what the official evaluator replaces in predictions, where a
// right one has it because the gold has.
func officialValue(_ *unit, g *gold) error {
	at := strings.Index(g.sql, "value")
	if at < 0 {
		return nil
	}
	from := strings.LastIndexAny(g.sql[:at], " (),.'\"") + 1
	word, _, _ := strings.Cut(g.sql[from:], " ")
	return fmt.Errorf("a prediction that has %q too is judged with %q", word, strings.ReplaceAll(word, "value", "1"))
}

func goldGrammar(u *unit, g *gold) error {
	if !g.sound() {
		return nil
	}
	_, err := dataset.SpiderSQL(g.query, g.binding, u.DB)
	return err
}
