package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// errorIf returns the error of a check if its condition holds, and nil otherwise.
func errorIf(condition bool, err error) error {
	if condition {
		return err
	}
	return nil
}

// severalStatements returns the syntax error of gold SQL that is several statements.
func severalStatements(_ *unit, g *gold) error {
	return errorIf(g.several, g.syntax)
}

// goldSyntax returns the syntax error of gold SQL, unless [severalStatements] or [goldFails] reports it.
func goldSyntax(_ *unit, g *gold) error {
	return errorIf(!g.several && !g.isRefused(), g.syntax)
}

// goldNames returns the problem of the first name that cannot be resolved, unless [goldFails] reports it.
func goldNames(_ *unit, g *gold) error {
	if g.query != nil && len(g.binding.Problems) > 0 && !g.isRefused() {
		return g.binding.Problems[0]
	}
	return nil
}

// resolves reports whether gold SQL parses and its names resolve.
func (g *gold) resolves() bool { return g.query != nil && len(g.binding.Problems) == 0 }

// exceedsLimit reports whether gold SQL has no answer because of a limit of the audit.
func (g *gold) exceedsLimit() bool {
	return errors.Is(g.err, sqldata.ErrTimeLimit) || errors.Is(g.err, sqldata.ErrTooLarge)
}

// isRefused reports whether the engine refuses to run gold SQL. The checks of syntax and names then
// report nothing, so that each fault is reported once.
func (g *gold) isRefused() bool { return g.err != nil && !g.exceedsLimit() && !g.several }

// goldFails returns the engine's error if it refuses to run gold SQL.
func goldFails(_ *unit, g *gold) error {
	return errorIf(g.isRefused(), g.err)
}

// goldLimit returns the engine's error if gold SQL exceeds a limit of the audit.
func goldLimit(_ *unit, g *gold) error {
	return errorIf(g.exceedsLimit(), g.err)
}

// goldSlow reports gold SQL that takes long but has an answer.
func goldSlow(u *unit, g *gold) error {
	return errorIf(g.slow && g.err == nil, fmt.Errorf("takes more than %s", u.slow))
}

// goldNotItself returns an error if gold SQL as a prediction is not judged right. It returns nil if the SQL failed to run, or if it has the
// text "value", which the official evaluator replaces in predictions: [officialValue] reports that.
func goldNotItself(u *unit, g *gold) error {
	hasAnswer := g.ran && g.err == nil
	if !hasAnswer || g.asPrediction.Verdict == verdict.Right || officialValue(u, g) != nil {
		return nil
	}
	return errors.New(strings.TrimSuffix(string(g.asPrediction.Reason)+": "+g.asPrediction.Detail, ": "))
}

// goldUndetermined returns an error if the answer of gold SQL is not determined, such as by ties.
func goldUndetermined(_ *unit, g *gold) error {
	return errorIf(g.doubt.Reason == execution.GoldUndetermined, errors.New(g.doubt.Detail))
}

// goldEmpty reports gold SQL without rows, except on databases without rows, where every answer is
// empty.
func goldEmpty(u *unit, g *gold) error {
	return errorIf(g.empty && u.hasRows(), fmt.Errorf("returns no rows: %s", g.sql))
}

// officialParser returns the error of the official evaluator's parser on gold SQL. Like [goldGrammar] it ignores SQL that does not resolve,
// which other checks report.
func officialParser(u *unit, g *gold) error {
	if !g.resolves() {
		return nil
	}
	return u.schema.Gold(g.sql).Problem()
}

// officialValue returns an error for the text "value" in gold SQL: the official evaluator replaces it in
// predictions, so a right prediction is changed.
func officialValue(_ *unit, g *gold) error {
	position := strings.Index(g.sql, "value")
	if position < 0 {
		return nil
	}
	begin := strings.LastIndexAny(g.sql[:position], " (),.'\"") + 1 // of the word around it
	word, _, _ := strings.Cut(g.sql[begin:], " ")
	return fmt.Errorf("a prediction that has %q too is judged with %q", word, strings.ReplaceAll(word, "value", "1"))
}

// goldGrammar returns an error if gold SQL lies outside Spider's grammar: no "sql" field can hold it.
func goldGrammar(u *unit, g *gold) error {
	if !g.resolves() {
		return nil
	}
	_, err := dataset.SpiderSQL(g.query, g.binding, u.DB)
	return err
}
