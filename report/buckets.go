package report

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/table"
	"github.com/tabperturb/tabperturb/review"
)

// sourceCount sums up the names of one source.
type sourceCount struct {
	name                string
	replace, add        int
	similarity          float64 // sums over both sides
	forwards, backwards float64
	validity            float64
}

// readBuckets fills the section from a buckets.json. Columns that cannot be read are reported and left
// out.
func (s *Section) readBuckets(path string, o *Options) error {
	r, closer, err := dataset.OpenText(path)
	if err != nil {
		return err
	}
	defer closer.Close()
	buckets, err := dataset.ReadBuckets(r, path, o.Warn, func(c *dataset.Candidate) { c.Cells, c.Evidence = nil, "" })
	if err != nil {
		return err
	}
	s.addNames(path, buckets)
	return nil
}

// addNames fills the section from the names in a file: counts of columns and names, and the names by source.
func (s *Section) addNames(path string, buckets dataset.Buckets) {
	sources, sum := countSources(buckets)
	s.Title = "Names"
	figures := figureTable("Columns and their names")
	figures.Add("columns", len(buckets))
	figures.Add("with REPLACE names", sum.withReplace)
	figures.Add("with ADD names", sum.withAdd)
	figures.Add("REPLACE names", sum.replace)
	figures.Add("ADD names", sum.add)
	s.add(Part{Title: "Summary", Table: figures})
	t := table.New("Names by source", "source", "REPLACE", "ADD", "similarity", "forward", "backward", "validity")
	for _, c := range sources[:min(len(sources), maxSources)] {
		t.Add(append([]any{cleanLabel(c.name), c.replace, c.add}, c.means()...)...)
	}
	plot := plotColumns(t, Plot{Kind: Bars, Title: "Names by source", Desc: "A bar a source, its REPLACE and ADD names stacked.", Axis: "names", Series: seriesNamed("REPLACE", "ADD")}, 1, 2) // these columns
	s.add(Part{Title: "Names by source", Plot: plot, Table: t, Text: append([]string{"Similarity is the mean cosine to the column; forward and backward are the mean entailments from and to it; validity is the mean probability that people accept a name."}, cutOff(len(sources), maxSources, "sources")...)})
	s.add(reproduceNames(path, sources))
}

// reproduceNames describes how to make a file of names again. Only the sources of the names show who made them: annotators, ADVETA's
// authors or the command candidates.
func reproduceNames(path string, sources []*sourceCount) Part {
	name := cleanLabel(filepath.Base(path))
	p := Part{Title: "How to reproduce", Text: []string{"The names are those of " + name + ", whose hash is below."}}
	hasSource := func(source string) bool {
		return slices.ContainsFunc(sources, func(c *sourceCount) bool { return c.name == source })
	}
	switch {
	case hasSource(review.PersonSource):
		p.Text = append(p.Text, "People decided on them (review merge): no other command makes them again.")
	case len(sources) == 1 && hasSource(dataset.ADVETASource):
		p.Text = append(p.Text, "People wrote them, for ADVETA.")
	default:
		p.Text = append(p.Text, "The command below makes such a file, where DATA is the data directory that they were made for; the flags that it had are not in the file, nor whether people decided on the names afterwards (review merge).")
		p.Code = Command("candidates", "--data", "DATA", "--out", filepath.Base(path))
	}
	return p
}

const maxSources = 40

// bucketSum counts columns and names: the columns with REPLACE and with ADD names, and these names.
type bucketSum struct{ withReplace, withAdd, replace, add int }

// means returns the mean similarity, entailments and validity of the source's names as cells, "-" for scores that the names lack, such
// as names that people wrote.
func (c *sourceCount) means() []any {
	mean := func(sum float64, known bool) any {
		if !known {
			return table.Cell{Text: "-"}
		}
		return decimals(sum / float64(c.replace+c.add))
	}
	scored := [3]float64{c.similarity, c.forwards, c.backwards} != [3]float64{} // sums of 0 are of names without scores
	return []any{mean(c.similarity, scored), mean(c.forwards, scored), mean(c.backwards, scored), mean(c.validity, c.validity > 0)}
}

// countSources counts names and sums their scores by source, the source with the most names first. sum counts over all sources.
func countSources(buckets dataset.Buckets) (list []*sourceCount, sum bucketSum) {
	byName := map[string]*sourceCount{}
	// counter returns the count of the bucket that the candidates are from.
	add := func(candidates []dataset.Candidate, counter func(*sourceCount) *int) {
		for _, c := range candidates {
			source := byName[c.Source]
			if source == nil {
				source = &sourceCount{name: c.Source}
				byName[c.Source], list = source, append(list, source)
			}
			*counter(source)++
			// The columns of a map have no order, and a sum of floats depends on the order.
			source.similarity += fixed(c.Similarity)
			source.forwards += fixed(c.Forward)
			source.backwards += fixed(c.Backward)
			source.validity += fixed(c.Validity)
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

// fixed rounds a score to a multiple of 2^-20, so that sums do not depend on their order. A score
// that is NaN or outside of -1..1, which only a damaged file has, becomes 0.
func fixed(v float64) float64 {
	const scale = 1 << 20
	if !(v >= -1 && v <= 1) {
		return 0
	}
	return float64(int64(v*scale)) / scale
}
