package report

import (
	"fmt"

	"github.com/tabperturb/tabperturb/augment/mix"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// readMix fills the section from the manifest.json of a folder that `mix` wrote.
func (s *Section) readMix(path string, _ *Options) error {
	var m mix.Manifest
	if err := decode(path, &m); err != nil {
		return err
	}
	switch {
	case m.Version != mix.Version:
		return fmt.Errorf("%s: version %d, expected %d of a mix", path, m.Version, mix.Version)
	case len(m.Relations) > maxPerturbations:
		return fmt.Errorf("%s: has %d perturbations, expected %d at most", path, len(m.Relations), maxPerturbations)
	}
	s.Title = "Training set"
	sum := figureTable("What the training set holds")
	sum.Add("strategy", cleanLabel(string(m.Strategy)))
	sum.Add("originals", m.Originals)
	sum.Add("records drawn", m.Drawn)
	sum.Add("turns beside them that stand unchanged", m.Unchanged)
	sum.AddStrong("rows", m.Rows)
	sum.Add("interactions among them", m.Interactions)
	sum.Add("databases", m.Databases)
	sum.Add("originals that could not be used", m.Skipped)
	s.add(Part{Title: "Summary", Table: sum})
	t := table.New("Records drawn, by perturbation", "perturbation", "verified", "different", "error rate, %", "drawn as its share", "drawn")
	t.Columns = append(t.Columns, table.Column{Name: "promise"})
	for _, r := range m.Relations {
		t.Add(cleanLabel(r.Name), r.Records, r.Distinct, number(r.Rate), r.First, r.Drawn, cleanLabel(r.Relation))
	}
	plot := plotColumns(t, Plot{Kind: Bars, Title: "Records drawn, by perturbation", Axis: "records", Desc: "A bar a perturbation: the records that were drawn of it.", Series: seriesNamed("drawn")}, 5) // the column "drawn"
	s.add(Part{Title: "What was drawn", Plot: plot, Table: t, Text: []string{"Different: what is drawn from, each record once. An interaction counts once. What others could not fill of their shares is drawn of the rest."}})
	s.addMixCommand(&m)
	return nil
}

// addMixCommand adds the hashes of the inputs of a mix, and a command line that repeats it.
func (s *Section) addMixCommand(m *mix.Manifest) {
	files := hashTable()
	add := func(source *mix.Source, what string) {
		for _, in := range source.Inputs {
			files.Add(cleanLabel(source.Name+"/"+in.Name), what, cleanText(in.SHA256))
		}
	}
	args := []string{"mix"}
	for i := range m.Builds {
		add(&m.Builds[i], "a build")
		args = append(args, "--build", m.Builds[i].Name)
	}
	if m.Data != nil {
		add(m.Data, "the originals")
		args = append(args, "--data", m.Data.Name)
	}
	args = append(args, "--strategy", string(m.Strategy))
	if m.Strategy != mix.All { // which takes every record
		drawn := lists.Sum(m.Relations, func(r mix.Relation) int { return r.Drawn })
		args = append(args, "--size", fmt.Sprint(drawn))
	}
	if m.Rates != nil {
		files.Add(cleanLabel(m.Rates.Name), "the error rates", cleanText(m.Rates.SHA256))
		args = append(args, "--consistency", m.Rates.Name)
	}
	for i := range m.Exclude {
		e := &m.Exclude[i]
		add(e, "what is left out")
		args = append(args, "--exclude", e.Name, "--exclude-split", e.Split)
	}
	s.add(Part{Title: "How to reproduce", Text: []string{"Folders and files must lie where the command names them; --perturb and --model, where they were given, are not recorded."}, Table: files,
		Code: Command(append(args, "--seed", fmt.Sprint(m.Seed), "--out", "OUT")...)})
}
