package benchmark

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

// WriteSummary writes a table with a row for each perturbation, and below it what else is to know
// about each and about all.
func (m *Manifest) WriteSummary(w io.Writer) {
	t := table.New("", "perturbation", "examples", "apply", "covered", "databases", "verified", "rejected")
	for _, r := range m.Perturbations {
		t.Add(r.Name, r.Examples, r.Applicable, r.Covered, r.Variants, r.Verified, r.RejectedTotal())
	}
	fmt.Fprint(w, t)
	for _, r := range m.Perturbations {
		r.writeDetails(w)
	}
	m.writeTotals(w)
}

// writeDetails writes a line for each reason of rejection, and for each count of r that the table
// lacks and that is not as usual.
func (r *Result) writeDetails(w io.Writer) {
	for _, reason := range r.Reasons() {
		fmt.Fprintf(w, "  %s rejected %d: %s\n", r.Name, r.Rejected[reason], reason.Text())
	}
	line := func(holds bool, format string, args ...any) {
		if holds {
			fmt.Fprintf(w, "  %s "+format+"\n", append([]any{r.Name}, args...)...)
		}
	}
	line(r.EveryColumn && r.Complete < r.Verified,
		"perturbed every mentioned column in %d, not all of them in %d", r.Complete, r.Verified-r.Complete)
	line(r.Unchanged > 0, "left %d turns of interactions unchanged beside verified ones", r.Unchanged)
	line(r.Distinct < r.Verified, "verified %d distinct ones: samples may draw the same names", r.Distinct)
	line(r.Generated > 0, "verified %d on generated content, for their databases have no rows", r.Generated)
	line(r.Both > 0, "verified %d on generated content too, for their answer on the original could not show a change", r.Both)
	if r.Fluency != nil {
		line(true, "changed questions of mean fluency %.3f, before %.3f", r.Fluency.After, r.Fluency.Before)
	}
	line(r.Relation == perturb.Retargeted && r.Verified > 0,
		"verified %d, of which %d have another answer on a generated database", r.Verified, r.Differ)
	line(r.Weak > 0, "verified %d whose answer could not show a change on either: no rows, NULL or 0", r.Weak)
}

// writeTotals writes the counts of all perturbations together, where several reject records, and
// what would help each perturbation without a record.
func (m *Manifest) writeTotals(w io.Writer) {
	total := map[perturb.Reason]int{}
	verified, rejected, rejecting := 0, 0, 0 // rejecting: perturbations that reject records
	for _, r := range m.Perturbations {
		for reason, n := range r.Rejected {
			total[reason] += n
		}
		verified, rejected = verified+r.Verified, rejected+r.RejectedTotal()
		rejecting += min(len(r.Rejected), 1)
	}
	if rejecting > 1 {
		fmt.Fprintf(w, "  in all verified %d, rejected %d:\n", verified, rejected)
		for _, reason := range mostFirst(total) {
			fmt.Fprintf(w, "%8d  %s\n", total[reason], reason.Text())
		}
	}
	for _, r := range m.Perturbations {
		if r.Verified == 0 {
			fmt.Fprintf(w, "  %s found nothing%s\n", r.Name, r.help())
		}
	}
	for _, by := range slices.Sorted(maps.Keys(m.KeptColumns)) {
		keep := "columns keep their names"
		if m.KeptColumns[by] == 1 {
			keep = "column keeps its name"
		}
		fmt.Fprintf(w, "  %d %s for %s\n", m.KeptColumns[by], keep, by)
	}
}

// mostFirst returns reasons by falling count, those of equal count by their text.
func mostFirst(counts map[perturb.Reason]int) []perturb.Reason {
	return slices.SortedFunc(maps.Keys(counts), func(a, b perturb.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.Text(), b.Text()))
	})
}

// help returns, for a perturbation without a record, the end of a sentence that says what would
// help: that of the most frequent reason that has a help.
func (r *Result) help() string {
	for _, reason := range mostFirst(r.Rejected) {
		if help := reason.Help(); help != "" {
			return "; what would help: " + help
		}
	}
	if len(r.Rejected) == 0 {
		return ": it applies to no example of this data set"
	}
	return ": no example of this data set fits"
}
