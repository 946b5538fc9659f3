package benchmark

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

// summaryReasons is how many reasons of rejections a summary has.
const summaryReasons = 3

// rejections are numbers of rejected records by reason.
type rejections map[perturb.Reason]int

// WriteSummary writes a table with a row for each perturbation. Below it come the counts of all, the most frequent
// reasons of rejections and what would help (one reason without help if rejections are few), the columns that cannot
// be renamed, and what perturbed schemas cost linkers. The manifest has the rest.
func (m *Manifest) WriteSummary(w io.Writer) {
	t := table.New("", "perturbation", "examples", "apply", "covered", "databases", "verified", "rejected")
	verified, weak, rejected := 0, 0, 0
	all, ofEmpty := rejections{}, rejections{} // ofEmpty: of perturbations without a record
	for _, r := range m.Perturbations {
		t.Add(r.Name, r.Examples, r.Applicable, r.Covered, r.Variants, r.Verified, r.RejectedTotal())
		verified, weak, rejected = verified+r.Verified, weak+r.Weak, rejected+r.RejectedTotal()
		for reason, n := range r.Rejected {
			all[reason] += n
			if r.Verified == 0 {
				ofEmpty[reason] += n
			}
		}
	}
	fmt.Fprintf(w, "%sverified %d", t, verified)
	if weak > 0 {
		fmt.Fprintf(w, " (of %d the answer could not show a change: no rows, NULL or 0)", weak)
	}
	fmt.Fprintf(w, ", rejected %d", rejected)
	if rejected > 0 {
		fmt.Fprintf(w, "; the most frequent reasons (%s has all, by perturbation):", manifestFile)
	}
	fmt.Fprintln(w)
	most, help := summaryReasons, cmp.Or(ofEmpty.help(), all.help())
	if fewShare*rejected < verified {
		most, help = 1, "" // hardly worth the space
	}
	all.write(w, most)
	if help != "" {
		fmt.Fprintf(w, "what would help: %s\n", help)
	}
	if len(m.KeptColumns) > 0 {
		kept := lists.Map(slices.Sorted(maps.Keys(m.KeptColumns)), func(by string) string { return fmt.Sprintf("%d for %s", m.KeptColumns[by], by) })
		fmt.Fprintf(w, "columns that keep their names: %s\n", strings.Join(kept, ", "))
	}
	m.writeStrength(w)
}

// fewShare is the number of verified records for each rejected one from which on rejections are few.
const fewShare = 20

// write writes the most frequent reasons, up to most, each on a line with its count.
func (counts rejections) write(w io.Writer, most int) {
	reasons := counts.mostFirst()
	for _, reason := range reasons[:min(len(reasons), most)] {
		fmt.Fprintf(w, "%8d  %s\n", counts[reason], reason.Text())
	}
}

// mostFirst returns the reasons by falling count, those of equal count by their text.
func (counts rejections) mostFirst() []perturb.Reason {
	return slices.SortedFunc(maps.Keys(counts), func(a, b perturb.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.Text(), b.Text()))
	})
}

// help returns the help of the most frequent reason that has one, else "".
func (counts rejections) help() string {
	for _, reason := range counts.mostFirst() {
		if help := reason.Help(); help != "" {
			return help
		}
	}
	return ""
}
