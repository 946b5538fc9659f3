package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

func printManifest(w io.Writer, m *built, out string) error {
	t := table.New("", "perturbation", "examples", "apply", "covered", "databases", "verified", "rejected")
	for _, r := range m.Perturbations {
		t.Add(r.Name, r.Examples, r.Applicable, r.Covered, r.Variants, r.Verified, r.RejectedTotal())
	}
	fmt.Fprint(w, t)
	for _, r := range m.Perturbations {
		printResult(w, &r)
	}
	printTotals(w, m.Manifest)
	printDrafts(w, m)
	_, err := fmt.Fprintln(w, "wrote "+out)
	return err
}

// printResult prints what is to be said of a perturbation beside its row of the table.
func printResult(w io.Writer, r *benchmark.Result) {
	for _, reason := range r.Reasons() {
		fmt.Fprintf(w, "  %s rejected %d: %s\n", r.Name, r.Rejected[reason], reason.Text())
	}
	if r.EveryColumn && r.Complete < r.Verified {
		fmt.Fprintf(w, "  %s perturbed every mentioned column in %d, not all of them in %d\n", r.Name, r.Complete, r.Verified-r.Complete)
	}
	if r.Unchanged > 0 {
		fmt.Fprintf(w, "  %s left %d turns of interactions unchanged beside verified ones\n", r.Name, r.Unchanged)
	}
	if r.Distinct < r.Verified {
		fmt.Fprintf(w, "  %s verified %d distinct ones: samples may draw the same names\n", r.Name, r.Distinct)
	}
	if r.Generated > 0 {
		fmt.Fprintf(w, "  %s verified %d on generated content, for their databases have no rows\n", r.Name, r.Generated)
	}
	if r.Both > 0 {
		fmt.Fprintf(w, "  %s verified %d on generated content too, for their answer on the original could not show a change\n", r.Name, r.Both)
	}
	if r.Fluency != nil {
		fmt.Fprintf(w, "  %s changed questions of mean fluency %.3f, before %.3f\n", r.Name, r.Fluency.After, r.Fluency.Before)
	}
	if r.Relation == perturb.Retargeted && r.Verified > 0 {
		fmt.Fprintf(w, "  %s verified %d, of which %d have another answer on a generated database\n", r.Name, r.Verified, r.Differ)
	}
	if r.Weak > 0 {
		fmt.Fprintf(w, "  %s verified %d whose answer could not show a change on either: no rows, NULL or 0\n", r.Name, r.Weak)
	}
}

// printTotals prints why records are rejected in all, where there are several perturbations,
// and what would help those that found nothing.
func printTotals(w io.Writer, m *benchmark.Manifest) {
	total := map[perturb.Reason]int{}
	verified, rejected, with := 0, 0, 0
	for _, r := range m.Perturbations {
		for reason, n := range r.Rejected {
			total[reason] += n
		}
		verified, rejected = verified+r.Verified, rejected+r.RejectedTotal()
		with += min(len(r.Rejected), 1)
	}
	if with > 1 {
		fmt.Fprintf(w, "  in all verified %d, rejected %d:\n", verified, rejected)
		for _, reason := range mostFirst(total) {
			fmt.Fprintf(w, "%8d  %s\n", total[reason], reason.Text())
		}
	}
	for _, r := range m.Perturbations {
		if r.Verified == 0 {
			fmt.Fprintf(w, "  %s found nothing%s\n", r.Name, helpFor(&r))
		}
	}
}

// mostFirst returns reasons by falling count, those of equal count by their words.
func mostFirst(counts map[perturb.Reason]int) []perturb.Reason {
	return slices.SortedFunc(maps.Keys(counts), func(a, b perturb.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.Text(), b.Text()))
	})
}

// helpFor says what would help a perturbation that found nothing, by the reason for which it
// rejected most of those that something would help.
func helpFor(r *benchmark.Result) string {
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
