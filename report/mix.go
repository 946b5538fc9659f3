package report

import (
	"fmt"

	"github.com/tabperturb/tabperturb/augment/mix"
	"github.com/tabperturb/tabperturb/evaluate/stats"
)

// mix makes the section of the manifest.json of a folder that `mix` wrote.
func (s *Section) mix(path string) error {
	var m mix.Manifest
	if err := decode(path, nil, &m); err != nil {
		return err
	}
	switch {
	case m.Version != mix.Version:
		return fmt.Errorf("%s: version %d, expected %d of a mix", path, m.Version, mix.Version)
	case len(m.Relations) > maxPerturbations:
		return fmt.Errorf("%s: has %d perturbations, expected %d at most", path, len(m.Relations), maxPerturbations)
	}
	s.Title = "Training set"
	s.add(Part{Title: "Summary", Table: facts("What the training set holds",
		row(Cell{Text: "strategy"}, label(string(m.Strategy))), row(Cell{Text: "originals"}, count(m.Originals)), row(Cell{Text: "records drawn"}, count(m.Drawn)),
		row(Cell{Text: "turns beside them that stand unchanged"}, count(m.Unchanged)), Row{Strong: true, Cells: []Cell{{Text: "rows"}, count(m.Rows)}},
		row(Cell{Text: "interactions among them"}, count(m.Interactions)), row(Cell{Text: "databases"}, count(m.Databases)),
		row(Cell{Text: "originals that could not be used"}, count(m.Skipped)),
	)})
	t := &Table{Caption: "Records drawn, by perturbation", Columns: columns("perturbation", "verified", "different", "error rate, %", "drawn as its share", "drawn")}
	t.Columns = append(t.Columns, Column{Name: "promise"})
	plot := &Plot{Kind: Bars, Title: "Records drawn, by perturbation", Axis: "records", Desc: "A bar a perturbation: the records that were drawn of it.", Series: []Series{{Name: "drawn"}}}
	for i := range m.Relations {
		r := &m.Relations[i]
		rate := stats.Undefined()
		if r.Rate != nil {
			rate = stats.Number(*r.Rate)
		}
		t.Rows = append(t.Rows, row(label(r.Name), count(r.Records), count(r.Distinct), share(rate), count(r.First), count(r.Drawn), label(r.Relation)))
		plot.Labels = append(plot.Labels, label(r.Name).Text)
		plot.Series[0].Points = append(plot.Series[0].Points, points(r.Drawn)...)
	}
	s.add(Part{Title: "What was drawn", Plot: plot, Table: t, Text: []string{"Different: what is drawn from, each record once. An interaction counts once. What others could not fill of their shares is drawn of the rest."}})
	s.reproduceMix(&m)
	return nil
}

func (s *Section) reproduceMix(m *mix.Manifest) {
	files := hashes()
	add := func(source *mix.Source, what string) {
		for _, in := range source.Inputs {
			files.Rows = append(files.Rows, row(label(source.Name+"/"+in.Name), Cell{Text: what}, prose(in.SHA256)))
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
		drawn := 0
		for _, r := range m.Relations {
			drawn += r.Drawn
		}
		args = append(args, "--size", fmt.Sprint(drawn))
	}
	if m.Rates != nil {
		files.Rows = append(files.Rows, row(label(m.Rates.Name), Cell{Text: "the error rates"}, prose(m.Rates.SHA256)))
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
