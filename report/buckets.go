package report

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/review"
)

// sourceCount is what one source has in the buckets.
type sourceCount struct {
	name                string
	replace, add        int
	similarity          float64 // sums over both sides
	forwards, backwards float64
}

// buckets makes the section of a buckets.json. Columns that cannot be read are told
// and left out.
func (s *Section) buckets(path string, warn func(error)) error {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return err
	}
	defer closer.Close()
	buckets, warnings, err := dataset.ReadBuckets(r, path, func(c *dataset.Candidate) { c.Cells, c.Evidence = nil, "" })
	if err != nil {
		return err
	}
	for _, w := range warnings {
		warn(w)
	}
	return s.names(path, buckets)
}

// names makes the section of the names that a file holds.
func (s *Section) names(path string, buckets dataset.Buckets) error {
	sources, sum := countSources(buckets)
	s.Title = "Names"
	s.add(Part{Title: "Summary", Table: facts("Columns and their names",
		row(Cell{Text: "columns"}, count(len(buckets))), row(Cell{Text: "with REPLACE names"}, count(sum.withReplace)), row(Cell{Text: "with ADD names"}, count(sum.withAdd)),
		row(Cell{Text: "REPLACE names"}, count(sum.replace)), row(Cell{Text: "ADD names"}, count(sum.add)),
	)})
	t := &Table{Caption: "Names by source", Columns: columns("source", "REPLACE", "ADD", "similarity", "forward", "backward")}
	plot := &Plot{Kind: Bars, Title: "Names by source", Desc: "A bar a source, its REPLACE and ADD names stacked.", Axis: "names", Series: []Series{{Name: "REPLACE"}, {Name: "ADD"}}}
	for i, c := range sources {
		if i == maxSources {
			break
		}
		t.Rows = append(t.Rows, row(append([]Cell{label(c.name), count(c.replace), count(c.add)}, c.scores()...)...))
		plot.Labels = append(plot.Labels, label(c.name).Text)
		plot.Series[0].Points = append(plot.Series[0].Points, points(c.replace)...)
		plot.Series[1].Points = append(plot.Series[1].Points, points(c.add)...)
	}
	s.add(Part{Title: "Names by source", Plot: plot, Table: t, Text: append([]string{"Similarity is the mean cosine to the column; forward and backward are the mean entailments from and to it."}, cutOff(len(sources), maxSources, "sources")...)})
	in, err := benchmark.HashInput(filepath.Base(path), path)
	if err != nil {
		return err
	}
	files := hashes()
	files.Rows = append(files.Rows, row(label(in.Name), Cell{Text: "this report's input"}, prose(in.SHA256)))
	s.add(reproduceNames(path, sources, files))
	return nil
}

// reproduceNames says where the names of a file came from, as far as their sources tell:
// the file itself does not.
func reproduceNames(path string, sources []*sourceCount, files *Table) Part {
	name := clean(filepath.Base(path), maxLabel)
	p := Part{Title: "How to reproduce", Table: files, Text: []string{"The names are those of " + name + ", whose hash is below."}}
	of := func(source string) bool {
		return slices.ContainsFunc(sources, func(c *sourceCount) bool { return c.name == source })
	}
	switch {
	case of(review.PersonSource):
		p.Text = append(p.Text, "People decided on them (review merge): no other command makes them again.")
	case len(sources) == 1 && of(dataset.ADVETASource):
		p.Text = append(p.Text, "People wrote them, for ADVETA.")
	default:
		p.Text = append(p.Text, "The command below makes such a file, where DATA is the data directory that they were made for; the flags that it had are not in the file, nor whether people decided on the names afterwards (review merge).")
		p.Code = Command("candidates", "--data", "DATA", "--out", filepath.Base(path))
	}
	return p
}

const maxSources = 40

// bucketSum is what all columns have.
type bucketSum struct{ withReplace, withAdd, replace, add int }

// scores are the means of the source's names, or dashes where they have no scores, as
// the names that people wrote.
func (c *sourceCount) scores() (cells []Cell) {
	n := float64(c.replace + c.add)
	for _, sum := range []float64{c.similarity, c.forwards, c.backwards} {
		if c.similarity == 0 && c.forwards == 0 && c.backwards == 0 {
			cells = append(cells, Cell{Text: "-"})
		} else {
			cells = append(cells, decimals(sum/n))
		}
	}
	return cells
}

// countSources counts names by source, the source of most names first.
func countSources(buckets dataset.Buckets) (list []*sourceCount, sum bucketSum) {
	by := map[string]*sourceCount{}
	add := func(candidates []dataset.Candidate, to func(*sourceCount) *int) {
		for _, c := range candidates {
			of := by[c.Source]
			if of == nil {
				of = &sourceCount{name: c.Source}
				by[c.Source], list = of, append(list, of)
			}
			*to(of)++
			// Columns come in no order, and sums of floats depend on theirs.
			of.similarity += fixed(c.Similarity)
			of.forwards += fixed(c.Forward)
			of.backwards += fixed(c.Backward)
		}
	}
	for _, b := range buckets {
		sum.replace += len(b.Replace)
		sum.add += len(b.Add)
		sum.withReplace += min(len(b.Replace), 1)
		sum.withAdd += min(len(b.Add), 1)
		add(b.Replace, func(c *sourceCount) *int { return &c.replace })
		add(b.Add, func(c *sourceCount) *int { return &c.add })
	}
	slices.SortFunc(list, func(a, b *sourceCount) int {
		return cmp.Or(cmp.Compare(b.replace+b.add, a.replace+a.add), cmp.Compare(a.name, b.name))
	})
	return list, sum
}

// fixed rounds a score to a multiple of 2^-20, sums of which are exact in any order.
func fixed(v float64) float64 {
	const scale = 1 << 20
	if !(v >= -1 && v <= 1) {
		return 0
	}
	return float64(int64(v*scale)) / scale
}
