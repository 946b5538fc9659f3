package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/perturb"
)

// Bounds of a build's section.
const (
	maxPerturbations = 500
	maxReasons       = 40 // of a perturbation or a metric
	maxTopReasons    = 20 // in the picture of all perturbations
)

// readBuild fills the section from the manifest.json of a folder that `build` wrote, its records and its rejections.
func (s *Section) readBuild(path string, o *Options) error {
	dir := filepath.Dir(path)
	var m benchmark.Manifest
	if err := decode(path, &m); err != nil {
		return err
	}
	if m.Version != benchmark.Version {
		return fmt.Errorf("%s: version %d, expected %d of a build", path, m.Version, benchmark.Version)
	}
	if len(m.Perturbations) > maxPerturbations {
		return fmt.Errorf("%s: has %d perturbations, expected %d at most", path, len(m.Perturbations), maxPerturbations)
	}
	for _, r := range m.Perturbations {
		if !filepath.IsLocal(filepath.FromSlash(r.Name)) || r.Verified < 0 { // the name becomes a path
			return fmt.Errorf("%s: perturbation %q with %d records, expected those of a build", path, cleanLabel(r.Name), r.Verified)
		}
	}
	s.Title = "Build of the split " + cleanLabel(m.Split)
	if err := s.addSamples(dir, &m, o); err != nil {
		return err
	}
	s.addBuildSummary(&m)
	s.addVerdicts(&m)
	s.addStrength(&m)
	s.addFluency(&m)
	if err := s.addRejections(dir, &m, o.Warn); err != nil {
		return err
	}
	s.addBuildCommand(&m)
	return nil
}

// addBuildSummary adds the table of the totals of a build.
func (s *Section) addBuildSummary(m *benchmark.Manifest) {
	verified, rejected, weak, generated, databases := 0, 0, 0, 0, 0
	for _, r := range m.Perturbations {
		verified += r.Verified
		rejected += r.RejectedTotal()
		weak += r.Weak
		generated += r.Generated
		databases += r.Variants // the distinct databases that r perturbed
	}
	t := figureTable("The build in figures")
	t.Add("perturbations", len(m.Perturbations))
	t.Add("samples of each example", m.Samples)
	t.AddStrong("records verified", verified)
	t.Add("of these, on generated content alone", generated)
	t.Add("of these, whose answer could not show a change", weak)
	t.Add("records rejected", rejected)
	t.Add("perturbed databases", databases)
	t.Add("inputs that could not be used", m.Skipped)
	for _, keeper := range slices.Sorted(maps.Keys(m.KeptColumns)) { // "views" or "triggers"
		t.Add("columns that keep their names for "+cleanLabel(keeper), m.KeptColumns[keeper])
	}
	s.add(Part{Title: "Summary", Table: t,
		Text: []string{"A record is an example of the split under one sample of a perturbation. It is verified where its SQL, run before and after, kept what the perturbation promises; else it is rejected, with a reason."}})
}

// addVerdicts adds the table of perturbations, and a plot that shows weak records apart from other verified ones.
func (s *Section) addVerdicts(m *benchmark.Manifest) {
	t := table.New("Records by perturbation", "perturbation", "examples", "apply", "covered", "covered, %", "databases", "verified", "shown", "weak", "rejected")
	t.Columns = append(t.Columns, table.Column{Name: "promise"})
	for _, r := range m.Perturbations {
		t.Add(cleanLabel(r.Name), r.Examples, r.Applicable, r.Covered, stats.Share(r.Covered, r.Examples), r.Variants,
			r.Verified, r.Verified-r.Weak, r.Weak, r.RejectedTotal(), cleanLabel(string(r.Relation)))
	}
	plot := plotColumns(t, Plot{Kind: Bars, Title: "Verdicts by perturbation", Axis: "records", Desc: "A bar a perturbation: verified records whose answer could show a change, verified ones whose answer could not (weak), and rejected ones.",
		Series: seriesNamed("verified and shown", "verified, weak", "rejected")}, 7, 8, 9) // the columns shown, weak, rejected
	s.add(Part{Title: "Verdicts by perturbation", Plot: plot, Table: t, Text: []string{"Apply: examples with something to perturb. Covered: examples with a verified record. Shown: verified, with an answer that could show a change; a weak one had no rows, NULL or 0 on any content."}})
}

// addStrength adds the column F1 of the built-in linkers before and after each perturbation of schemas, if it was measured.
func (s *Section) addStrength(m *benchmark.Manifest) {
	t := table.New("Column F1 of schema linkers, in percent", "perturbation, linker", "questions", "before", "after")
	t.Columns = append(t.Columns, table.Column{Name: "change, in points"})
	for _, x := range m.Strength[:min(len(m.Strength), 2*maxPerturbations)] { // two linkers each
		t.Add(cleanLabel(x.Perturbation+", "+x.Linker), x.Questions, x.Before.Cell(), x.After.Cell(), x.Change.Points())
	}
	if len(t.Rows) == 0 {
		return
	}
	plot := plotColumns(t, Plot{Kind: Dots, Title: t.Caption, Axis: "F1", Desc: "Two dots a perturbation and linker: the same questions before and after.", Series: seriesNamed("before", "after")}, 2, 3) // these columns
	s.add(Part{Title: "Strength", Plot: plot, Table: t, Text: []string{fmt.Sprintf("What perturbed schemas cost the built-in schema linkers: which columns they find that the gold SQL uses, on at most %d questions of each perturbation drawn by the seed. Intervals draw whole databases.", benchmark.StrengthQuestions)}})
}

// addFluency adds the fluency of questions before and after each perturbation that changed questions.
func (s *Section) addFluency(m *benchmark.Manifest) {
	t := table.New("Mean fluency of changed questions", "perturbation", "questions", "before", "after")
	for _, r := range m.Perturbations {
		if f := r.Fluency; f != nil {
			t.Add(cleanLabel(r.Name), f.Records, decimals(f.Before), decimals(f.After))
		}
	}
	if len(t.Rows) > 0 {
		plot := plotColumns(t, Plot{Kind: Dots, Title: t.Caption, Axis: "fluency", Desc: "Two dots a perturbation: the questions before and after.", Series: seriesNamed("before", "after")}, 2, 3) // these columns
		s.add(Part{Title: "Fluency", Text: []string{"How natural the questions read that a perturbation changed, by a trigram model: 0 to 1, more is better."}, Plot: plot, Table: t})
	}
}

// addRejections adds the reasons for rejection: those of all perturbations, as a table and a plot, and those of each perturbation with
// the first record that was rejected for it.
func (s *Section) addRejections(dir string, m *benchmark.Manifest, warn func(error)) error {
	t := &table.Table{Caption: "Reasons for rejection, by perturbation", Columns: []table.Column{{Name: "perturbation"}, {Name: "reason", Long: true}, {Name: "records", Numeric: true}, {Name: "for example", Long: true, Code: true}}}
	totals := map[perturb.Reason]int{}
	for _, r := range m.Perturbations {
		first, err := firstRejections(filepath.Join(dir, filepath.FromSlash(r.Name), "rejected.jsonl"), warn)
		if err != nil {
			return err
		}
		list := byCount(r.Rejected)
		for k, reason := range list {
			totals[reason] += r.Rejected[reason]
			if k < maxReasons {
				t.Add(cleanLabel(r.Name), cleanText(reason.Text()), r.Rejected[reason], cleanText(first[reason]))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	top := byCount(totals)
	sums := table.New("Reasons for rejection, of all perturbations", "reason", "records")
	sums.Columns[0].Long = true
	for _, reason := range top[:min(len(top), maxTopReasons)] {
		sums.Add(cleanText(reason.Text()), totals[reason])
	}
	plot := plotColumns(sums, Plot{Kind: Bars, Title: "Reasons for rejection", Axis: "records", Desc: "A bar a reason, the most frequent first, over all perturbations.", Series: seriesNamed("rejected")}, 1)
	s.add(Part{Title: "What was rejected", Plot: plot, Table: sums, Text: cutOff(len(top), maxTopReasons, "reasons")})
	s.add(Part{Title: "Reasons by perturbation", Table: t})
	return nil
}

// byCount returns the reasons, the most frequent first, ties by their text.
func byCount(counts map[perturb.Reason]int) []perturb.Reason {
	return slices.SortedFunc(maps.Keys(counts), func(a, b perturb.Reason) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.Text(), b.Text()))
	})
}

// firstRejections returns for each reason a description of the first record in a rejected.jsonl; none if the build has no such file.
// The number of reasons is bounded.
func firstRejections(path string, warn func(error)) (map[perturb.Reason]string, error) {
	first := map[perturb.Reason]string{}
	err := dataset.Records(path, warn, func(raw dataset.Raw) (rej benchmark.Rejection, err error) {
		return rej, json.Unmarshal(raw.JSON, &rej)
	}, func(rej benchmark.Rejection) error {
		if _, ok := first[rej.Reason]; ok || len(first) > 4*maxReasons {
			return nil
		}
		detail := fmt.Sprintf("%d %s: %s", rej.Example, rej.DB, rej.Query)
		if rej.Detail != "" {
			detail += " (" + rej.Detail + ")"
		}
		first[rej.Reason] = clean(detail, maxExample)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return first, err
}

// maxExample bounds an example of a rejection, in runes.
const maxExample = 400

// addBuildCommand adds the hashes of the inputs of a build, and a command line that repeats it. Perturbations that are not in the
// catalog were made by other flags, which the manifest does not store.
func (s *Section) addBuildCommand(m *benchmark.Manifest) {
	files := hashTable()
	for _, in := range m.Inputs {
		holds := "what the build was made of"
		if in.Without != "" {
			holds = "names that were found without " + cleanText(in.Without)
		}
		files.Add(cleanLabel(in.Name), holds, cleanText(in.SHA256))
	}
	known := lists.Set(benchmark.Catalog(), func(p *perturb.Perturbation) string { return p.Name })
	var names, versions, recorded []string
	for _, r := range m.Perturbations {
		versions = append(versions, fmt.Sprintf("%s %d", cleanLabel(r.Name), r.Version))
		if known[r.Name] {
			names = append(names, r.Name)
		} else {
			recorded = append(recorded, cleanLabel(r.Name))
		}
	}
	args := []string{"build", "--data", "DATA", "--split", m.Split}
	if names != nil {
		args = append(args, "--perturb", strings.Join(names, ","))
	}
	for _, file := range benchmark.InputNames(m.Inputs, benchmark.RoleNames) {
		args = append(args, "--buckets", file)
	}
	p := Part{Title: "How to reproduce", Table: files,
		Code: Command(append(args, "--samples", fmt.Sprint(m.Samples), "--seed", fmt.Sprint(m.Seed), "--out", "OUT")...),
		Text: []string{"DATA is the data directory, whose files have the hashes below; files other than tables.json, the split, the databases and those of --buckets were given by flags of their own (--replay and others).",
			"Perturbations and their versions: " + commaList(versions) + "."},
	}
	if recorded != nil {
		p.Text = append(p.Text, "Made of recorded edits or questions, which a flag of their own names (--replay and others): "+commaList(recorded)+".")
	}
	if len(m.Models) > 0 {
		p.Text = append(p.Text, cleanText("Models: "+commaList(m.Models)+"."))
	}
	s.add(p)
}
