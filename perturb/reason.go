package perturb

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

// Reason is the code of why an example yields no record for a sample. Reasons are a closed list,
// [Reasons], so that they can be counted and filtered; the detail of one example is not part of
// the code.
type Reason string

// UsesDropped is the reason of gold SQL that uses what the edits drop.
const UsesDropped Reason = "uses-dropped"

//go:embed reasons.txt
var reasonLines string

// DescribedReason is a reason with what it means.
type DescribedReason struct {
	Code Reason
	Text string // a clause that says why, for people
	Help string // what would help; empty if nothing would
}

// Reasons returns every reason there is: a line of reasons.txt each.
var Reasons = sync.OnceValue(func() (list []DescribedReason) {
	for line := range wordfile.Lines(reasonLines) {
		code, text, _ := strings.Cut(line, "\t")
		text, help, _ := strings.Cut(text, "\t")
		list = append(list, DescribedReason{Reason(code), text, help})
	}
	return list
})

var described = sync.OnceValue(func() map[Reason]DescribedReason {
	return lists.Index(Reasons(), func(r DescribedReason) Reason { return r.Code })
})

// Known reports whether a reason is in the list.
func (r Reason) Known() bool { return described()[r].Text != "" }

// Text returns a clause that explains the reason. For a code that is not in the list, as in a
// file of another version, it returns the code.
func (r Reason) Text() string { return cmp.Or(described()[r].Text, string(r)) }

// Help returns what would help if a perturbation finds nothing for that reason, or nothing.
func (r Reason) Help() string { return described()[r].Help }

// Refusal is the error of an example that cannot be rewritten under a variant's edits, or that
// breaks the promise of the relation.
type Refusal struct {
	Reason Reason
	Detail string // of this example; may be empty
}

// Error implements [error].
func (r *Refusal) Error() string { return strings.TrimSuffix(r.Reason.Text()+": "+r.Detail, ": ") }
