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

// severalStatements returns the error of gold SQL with several statements.
func severalStatements(_ *unit, g *gold) error {
	if g.several {
		return g.syntax
	}
	return nil
}

// goldSyntax returns a syntax error, unless the engine reports one too.
func goldSyntax(_ *unit, g *gold) error {
	if !g.several && !g.fails() {
		return g.syntax
	}
	return nil
}

// goldNames returns the first name that cannot be resolved, unless the engine reports an error
// too.
func goldNames(_ *unit, g *gold) error {
	if g.query != nil && len(g.binding.Problems) > 0 && !g.fails() {
		return g.binding.Problems[0]
	}
	return nil
}

// sound reports whether gold SQL parses and its names resolve.
func (g *gold) sound() bool { return g.query != nil && len(g.binding.Problems) == 0 }

// limited reports whether gold SQL has no answer because of a limit of the audit.
func (g *gold) limited() bool {
	return errors.Is(g.err, sqlite.ErrTimeLimit) || errors.Is(g.err, sqlite.ErrTooLarge)
}

// fails reports whether the engine refuses gold SQL. Errors of syntax and names are not reported
// in addition.
func (g *gold) fails() bool { return g.err != nil && !g.limited() && !g.several }

// goldFails returns the engine's error.
func goldFails(_ *unit, g *gold) error {
	if g.fails() {
		return g.err
	}
	return nil
}

// goldLimit returns the limit that gold SQL exceeds.
func goldLimit(_ *unit, g *gold) error {
	if g.limited() {
		return g.err
	}
	return nil
}

// goldSlow reports gold SQL that takes long but has an answer.
func goldSlow(u *unit, g *gold) error {
	if g.slow && g.err == nil {
		return fmt.Errorf("takes more than %s", u.slow)
	}
	return nil
}

// goldNotItself reports gold SQL that is not right as a prediction. What the official evaluator
// replaces is left to [officialValue].
func goldNotItself(u *unit, g *gold) error {
	if !g.ran || g.err != nil || g.self.Verdict == verdict.Right {
		return nil
	}
	if officialValue(u, g) != nil {
		return nil
	}
	return errors.New(strings.TrimSuffix(string(g.self.Reason)+": "+g.self.Detail, ": "))
}

// goldUndetermined reports gold SQL whose answer is not determined.
func goldUndetermined(_ *unit, g *gold) error {
	if g.doubt.Reason == execution.GoldUndetermined {
		return errors.New(g.doubt.Detail)
	}
	return nil
}

// goldEmpty reports gold SQL without rows, except on databases without rows, where every answer is
// empty.
func goldEmpty(u *unit, g *gold) error {
	if g.empty && u.hasRows() {
		return fmt.Errorf("returns no rows: %s", g.sql)
	}
	return nil
}

// officialParser returns the error of the official parser. Like [goldGrammar] it ignores SQL that
// is wrong for SQLite too.
func officialParser(u *unit, g *gold) error {
	if !g.sound() {
		return nil
	}
	return u.schema.Gold(g.sql).Problem()
}

// officialValue reports the text "value" in gold SQL: the official evaluator replaces it in
// predictions, so a right prediction is changed.
func officialValue(_ *unit, g *gold) error {
	at := strings.Index(g.sql, "value")
	if at < 0 {
		return nil
	}
	from := strings.LastIndexAny(g.sql[:at], " (),.'\"") + 1
	word, _, _ := strings.Cut(g.sql[from:], " ")
	return fmt.Errorf("a prediction that has %q too is judged with %q", word, strings.ReplaceAll(word, "value", "1"))
}

// goldGrammar returns why Spider's grammar has no form for gold SQL.
func goldGrammar(u *unit, g *gold) error {
	if !g.sound() {
		return nil
	}
	_, err := dataset.SpiderSQL(g.query, g.binding, u.DB)
	return err
}
