package doctor

import (
	"context"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
)

// eachRepeated calls f for each example whose question, ignoring case and blanks, is that of an earlier example; first is the earliest
// one. It leaves out examples without gold SQL or, as in gold files, without a question.
func (u *unit) eachRepeated(f func(first, repeated *dataset.Example)) {
	firstOf := map[string]*dataset.Example{}
	for _, ex := range u.Examples {
		question := strings.ToLower(strings.Join(strings.Fields(ex.Question), " "))
		if question == "" || ex.Query == "" {
			continue
		}
		if first := firstOf[question]; first != nil {
			f(first, ex)
		} else {
			firstOf[question] = ex
		}
	}
}

// haveSameGold reports whether two examples have the same gold SQL, apart from its spelling.
func (u *unit) haveSameGold(a, b *dataset.Example) bool {
	return u.bySQL[a.Query].normalSQL() == u.bySQL[b.Query].normalSQL()
}

// normalSQL returns the gold SQL in a uniform spelling, in lower case, or as it is if it does not parse.
func (g *gold) normalSQL() string {
	if g.query == nil {
		return g.sql
	}
	return strings.ToLower(g.query.String())
}

// repeatedExamples reports examples with the question and the gold SQL of an earlier one.
func repeatedExamples(_ context.Context, u *unit, r *reporter) {
	u.eachRepeated(func(first, repeated *dataset.Example) {
		if u.haveSameGold(first, repeated) {
			r.example(repeated, "example %d asks the same: %s", first.Index, repeated.Question)
		}
	})
}

// otherGolds reports examples with the question of an earlier one and other gold SQL.
func otherGolds(_ context.Context, u *unit, r *reporter) {
	u.eachRepeated(func(first, repeated *dataset.Example) {
		if !u.haveSameGold(first, repeated) {
			r.example(repeated, "example %d asks the same, with the gold SQL %s", first.Index, first.Query)
		}
	})
}

// notAudited reports what other checks could not look at, and why. It must be the last check.
func notAudited(_ context.Context, u *unit, r *reporter) {
	for _, problem := range u.unaudited {
		r.schema("", "", "%s", problem)
	}
}
