// Package validity fits the model that predicts whether people accept a name, from
// names that were judged without knowledge of where they came from.
package validity

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/optimize"

	"github.com/tabperturb/tabperturb/augment"
	"github.com/tabperturb/tabperturb/dataset"
)

// Name is a proposed name with what the pipeline knows of it and, where it was judged,
// its grade.
type Name struct {
	DB       string             `json:"db_id"`
	Table    string             `json:"table"`
	Column   string             `json:"column"`
	Side     dataset.Side       `json:"side"`
	Name     string             `json:"name"`
	Source   string             `json:"source"`
	Grade    string             `json:"grade,omitempty"` // of the guide; "" if it was not judged
	Apart    bool               `json:"apart,omitempty"` // of a table that nothing was developed on
	Features map[string]float64 `json:"features"`
}

// Valid reports whether a judge accepted the name.
func (n *Name) Valid() bool { return n.Grade == "y" || n.Grade == "Y" }

// Propose reports the names that an augmenter has a bucket for, with their features.
func Propose(ctx context.Context, a *augment.Augmenter, u *dataset.Unit, each func(Name) error) error {
	return a.EachSided(ctx, u, func(t *dataset.Table, j *augment.Judged) error {
		n := Name{
			DB: u.DB.ID, Table: t.Original, Column: t.Columns[j.Column].Original, Side: j.Decision.Side,
			Name: j.Name, Source: j.Source, Features: map[string]float64{},
		}
		j.Features(t, func(name string, value float64) { n.Features[name] = math.Round(1e4*value) / 1e4 })
		return each(n)
	})
}

// Read reads names, JSON lines.
func Read(r io.Reader) ([]Name, error) {
	var out []Name
	dec := json.NewDecoder(bufio.NewReader(r))
	for {
		var n Name
		switch err := dec.Decode(&n); {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("name %d: %w", len(out)+1, err)
		}
		out = append(out, n)
	}
}

// Weights are those of features, by bucket.
type Weights map[dataset.Side]map[string]float64

// penalty is that of squared weights: features are few, judged names thousands.
const penalty = 1.0

// Fit returns the weights of the logistic model that fits the judged names best, with the weights of sources changed to fit
// the names of tables apart. The other tables would overrate the thesaurus, because it was corrected where their names
// were judged invalid.
func Fit(names []Name) (Weights, error) {
	w := Weights{}
	for _, side := range dataset.Sides() {
		var of, apart []Name
		for _, n := range names {
			switch {
			case n.Side != side || n.Grade == "":
			case n.Apart:
				apart = append(apart, n)
			default:
				of = append(of, n)
			}
		}
		var err error
		if w[side], err = fit(of, featuresOf(of)); err != nil {
			return nil, fmt.Errorf("%s: %w", side, err)
		}
		w[side] = w.biased(side, apart)
	}
	var err error
	if w[augment.Closeness], err = fitCloseness(names); err != nil {
		return nil, fmt.Errorf("%s: %w", augment.Closeness, err)
	}
	return w, nil
}

// fitCloseness fits the model of which valid ADD names are taken for their column.
func fitCloseness(names []Name) (map[string]float64, error) {
	var of []Name
	for _, n := range names {
		if n.Side != dataset.Add || !n.Valid() {
			continue
		}
		if n.Grade == "y" { // valid but not close: what fit is to tell from the close ones
			n.Grade = "-"
		}
		of = append(of, n)
	}
	return fit(of, featuresOf(of))
}

// leastNames is the number of names that must have a feature for it to get a weight.
const leastNames = 12

// featuresOf returns the features that leastNames of the names have, sorted.
func featuresOf(names []Name) []string {
	having := map[string]int{}
	for _, n := range names {
		for f := range n.Features {
			having[f]++
		}
	}
	maps.DeleteFunc(having, func(_ string, n int) bool { return n < leastNames })
	return slices.Sorted(maps.Keys(having))
}

// biased returns the weights of a bucket after it changed the weight of each source so that it predicts as many valid names of
// the source as there are among the names apart, those of tables that the thesaurus was not corrected by.
func (w Weights) biased(side dataset.Side, apart []Name) map[string]float64 {
	out := maps.Clone(w[side])
	by := map[string][]Name{}
	for _, n := range apart {
		for f := range n.Features {
			if strings.HasPrefix(f, augment.SourceFeature) {
				by[f] = append(by[f], n)
			}
		}
	}
	for _, source := range slices.Sorted(maps.Keys(by)) {
		out[source] = math.Round(1e3*(out[source]+w.bias(by[source]))) / 1e3
	}
	return out
}

// bias returns the number to add to the log odds of names so that their predicted validities sum to the number of valid
// names. It is found by bisection; shrinkage keeps it near 0 for few names.
func (w Weights) bias(names []Name) float64 {
	low, high := -4.0, 4.0
	for high-low > 1e-4 {
		mid := (low + high) / 2
		sum := shrinkage * mid
		for i := range names {
			n := &names[i]
			sum += 1 / (1 + math.Exp(-w.odds(n)-mid))
			if n.Valid() {
				sum--
			}
		}
		if sum > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}

// shrinkage is the penalty of a squared bias.
const shrinkage = 2.0

// fit returns the weight of each feature by a logistic regression on judged names.
func fit(names []Name, features []string) (map[string]float64, error) {
	if len(features) == 0 {
		return nil, nil
	}
	rows := make([][]float64, len(names))
	for i, n := range names {
		rows[i] = make([]float64, len(features))
		for j, f := range features {
			rows[i][j] = n.Features[f]
		}
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 {
			loss := 0.0
			for i, row := range rows {
				z := dot(w, row)
				if names[i].Valid() {
					z = -z
				}
				loss += math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
			}
			return loss + penalty/2*dot(w, w)
		},
		Grad: func(grad, w []float64) {
			for j := range grad {
				grad[j] = penalty * w[j]
			}
			for i, row := range rows {
				d := 1 / (1 + math.Exp(-dot(w, row)))
				if names[i].Valid() {
					d--
				}
				for j, x := range row {
					grad[j] += d * x
				}
			}
		},
	}
	result, err := optimize.Minimize(problem, make([]float64, len(features)), nil, &optimize.LBFGS{})
	if err != nil && result == nil {
		return nil, err
	}
	out := map[string]float64{}
	for j, f := range features {
		out[f] = math.Round(1e3*result.X[j]) / 1e3
	}
	return out, nil
}

// dot returns the dot product of two vectors.
func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// predict returns the probability that a name is valid.
func (w Weights) predict(n *Name) float64 { return 1 / (1 + math.Exp(-w.odds(n))) }

// odds returns the log odds that a name is valid.
func (w Weights) odds(n *Name) float64 {
	z := 0.0
	for _, f := range slices.Sorted(maps.Keys(n.Features)) {
		z += w[n.Side][f] * n.Features[f]
	}
	return z
}

// folds is the number of parts of the judged tables, each predicted from the others.
const folds = 5

// Predicted is a judged name with the probability that a model gave which had not seen
// its table.
type Predicted struct {
	*Name
	Validity float64
}

// CrossValidate predicts each judged name by a model of the names in other folds. If some names are of tables apart, it predicts
// only these. The result is sorted by validity, the greatest first.
func CrossValidate(names []Name) ([]Predicted, error) {
	apart := slices.ContainsFunc(names, func(n Name) bool { return n.Apart })
	var out []Predicted
	for k := range folds {
		var train []Name
		for _, n := range names {
			if fold(&n) != k {
				train = append(train, n)
			}
		}
		w, err := Fit(train)
		if err != nil {
			return nil, err
		}
		for i := range names {
			if n := &names[i]; fold(n) == k && n.Grade != "" && (n.Apart || !apart) {
				out = append(out, Predicted{n, w.predict(n)})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Predicted) int { return cmp.Compare(y.Validity, x.Validity) })
	return out, nil
}

// fold returns the fold of a name, by its table.
func fold(n *Name) int {
	h := fnv.New32a()
	fmt.Fprint(h, n.DB, "\x00", n.Table)
	return int(h.Sum32() % folds)
}

// bins is the number of bins of a calibration.
const bins = 10

// Report prints for each bucket how well predictions, sorted by validity, fit the grades: the mean gap between predicted and
// judged validity in bins of equal size, and for several thresholds how many names reach them, by source, with the share
// of valid ones.
func Report(w io.Writer, all []Predicted) {
	for _, side := range dataset.Sides() {
		var of []Predicted
		for _, p := range all {
			if p.Side == side {
				of = append(of, p)
			}
		}
		if len(of) < bins {
			continue
		}
		gap := 0.0
		for b := range bins {
			bin := of[b*len(of)/bins : (b+1)*len(of)/bins]
			mean := 0.0
			for _, p := range bin {
				mean += p.Validity / float64(len(bin))
			}
			gap += math.Abs(mean-valid(bin)) / bins
		}
		fmt.Fprintf(w, "%s: %d judged, %.2f valid; mean gap of predicted and judged in %d bins %.3f\n", side, len(of), valid(of), bins, gap)
		for _, least := range []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
			n := slices.IndexFunc(of, func(p Predicted) bool { return p.Validity < least })
			if n < 0 {
				n = len(of)
			}
			fmt.Fprintf(w, "  validity ≥ %.1f: %5d names, %.2f valid", least, n, valid(of[:n]))
			by := map[string][]Predicted{}
			for _, p := range of[:n] {
				by[p.Source] = append(by[p.Source], p)
			}
			for _, source := range slices.Sorted(maps.Keys(by)) {
				fmt.Fprintf(w, "  %s %d (%.2f)", source, len(by[source]), valid(by[source]))
			}
			fmt.Fprintln(w)
		}
	}
}

// valid returns the share of valid names, 0 for none.
func valid(of []Predicted) float64 {
	n := 0
	for _, p := range of {
		if p.Valid() {
			n++
		}
	}
	return float64(n) / float64(max(len(of), 1))
}
