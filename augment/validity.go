package augment

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
)

// Validity predicts the probability that a careful reader accepts a name, by a logistic
// model of its features for each bucket. It was trained on names that readers judged
// without knowing their sources. Without weights every probability is 0.
type Validity struct {
	Min     float64                             // names of a lower probability are rejected
	Weights map[dataset.Side]map[string]float64 // of [Judged.Features], by bucket; may be nil

	// Advisory is set where names are neither rejected nor ordered by the probability.
	Advisory bool
}

// DefaultMinValidity is the default of [Validity.Min].
const DefaultMinValidity = 0.65

//go:embed validity.json
var weights []byte

// DefaultValidity returns the weights of the embedded model, which
// `go run ./train validity`, run in tools, trains.
var DefaultValidity = sync.OnceValue(func() map[dataset.Side]map[string]float64 {
	var w map[dataset.Side]map[string]float64
	if err := json.Unmarshal(weights, &w); err != nil {
		panic(err)
	}
	return w
})

// SourceFeature begins the feature that each name of a source has.
const SourceFeature = "source "

// Features passes to report the features of a name for a column of t, by name, as numbers of about one.
// If a source is [Source.Untrained], the embedded weights have none of the features that name it.
func (j *Judged) Features(t *dataset.Table, report func(name string, value float64)) {
	flag := func(name string, holds bool) {
		if holds {
			report(name, 1)
		}
	}
	column, group := &t.Columns[j.Column], j.group()
	flag(SourceFeature+group, true)
	report("rank "+group, math.Log1p(float64(j.Rank)))
	if j.source.Features != nil {
		j.source.Features(column, &j.Proposal, report)
	}
	j.agreementFeatures(report)
	if words := strings.Fields(lexicon.Normal(j.Name)); len(words) > 0 {
		report("ends in "+words[len(words)-1], 1) // the embedded weights only have last words with enough names in training
	}
	if from, to := replacedWords(column.Name, j.Name); from != "" {
		report(from+" becomes "+to, 1) // likewise
	}
	flag("is a heading, by "+group, heading.Default().Has(j.Name))
	report("lower entailment "+group, min(j.Forward, j.Backward))
	report("higher entailment "+group, max(j.Forward, j.Backward))
	report("similarity", j.Similarity)
	flag("shares a word", sharesWord(column.Name, j.Name))
	flag("other type", hasOtherType(column, &j.Candidate))
	flag("same type", column.Type != "" && j.Type == column.Type)
	flag("same head", slices.Equal(heads(lexicon.Words(column.Name)), heads(lexicon.Words(j.Name))))
	flag("table has a name, "+group, dataset.Named(t.Name))
	flag("foreign key, "+group, isForeignKey(t, column.Name))
	flag("key by its table", isKeyOfRows(t, column.Name, j.Name))
	report("columns", math.Log1p(float64(len(t.Columns)))/3) // thirds bring usual counts to about one
	report("words", float64(len(strings.Fields(j.Name)))/3)
}

// agreementFeatures passes to report how often retrieved and embedded tables have the name, alone and together with the column. It
// divides the logarithms of counts to bring them near the range of shares, 0 to 1.
func (j *Judged) agreementFeatures(report func(name string, value float64)) {
	const most = 50 // further tables prove no more
	report("tables of the kind", math.Log1p(float64(min(j.tables, most)))/3)
	report("stand together, "+j.group(), math.Log1p(float64(min(j.together, most)))/3)
	report("columns that it fits, "+j.group(), math.Log1p(float64(min(j.fit.Columns, most)))/2)
	report("fit, "+j.group(), j.fit.Mean)
	h := j.Header
	if h == nil {
		return
	}
	report("retrieved, "+j.group(), 1)
	report("support", math.Log1p(float64(min(h.Support, most)))/3)
	report("agreement", h.Share)
	b := h.Beside[j.Column]
	report("stands beside", b.With)
	report("stands near", b.Near)
	report("support beside", math.Log1p(float64(min(b.Support, most)))/3)
	if b.Instead() {
		report("stands instead", 1)
	}
	if h.Type == dataset.Text {
		report("names the row", h.Key) // a key of words identifies the rows by their name
	}
}

// isForeignKey reports whether a column is named like the key of another table: "stadium id" in a
// table of concerts. Names that go with stadiums do not go with such a table.
func isForeignKey(t *dataset.Table, column string) bool {
	words := strings.Fields(lexicon.Normal(column))
	last := len(words) - 1
	if last < 1 || !slices.Contains([]string{"id", "code"}, words[last]) {
		return false
	}
	return !strings.Contains(lexicon.Normal(t.Name), strings.Join(words[:last], " "))
}

// isKeyOfRows reports whether a name puts the last words of the table's name before a column "id": "order id" in purchase orders.
func isKeyOfRows(t *dataset.Table, column, name string) bool {
	const id = "id"
	rows, ok := strings.CutSuffix(lexicon.Normal(name), " "+id)
	return ok && lexicon.Normal(column) == id && strings.HasSuffix(" "+lexicon.Normal(t.Name), " "+rows)
}

// replacedWords returns the words of a column that a name replaces and those in their place, without the words at the start and at the end
// that both share: "id" and "identifier" for "tax form identifier" of "tax form id". Both are "" where they share none there, or where
// one only adds words to the other.
func replacedWords(column, name string) (from, to string) {
	x, y := strings.Fields(lexicon.Normal(column)), strings.Fields(lexicon.Normal(name))
	all := len(x)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if len(x) == all || len(x) == 0 || len(y) == 0 {
		return "", ""
	}
	return strings.Join(x, " "), strings.Join(y, " ")
}

// sharesWord reports whether two names share a word of three letters or more.
func sharesWord(x, y string) bool {
	words := strings.Fields(lexicon.Normal(x))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(y)), func(w string) bool {
		return isLongWord(w) && slices.Contains(words, w)
	})
}

// isLongWord reports whether a word has three letters or more: "id" and "no" are in half of all names.
func isLongWord(w string) bool { return len(w) > 2 }

// probability returns the probability that a logistic model predicts for a name for a column of t, 0 without weights. model is
// the key of its weights: a bucket for the validity of names in it, or Closeness.
func (v *Validity) probability(model dataset.Side, t *dataset.Table, j *Judged) float64 {
	if v.Weights == nil {
		return 0
	}
	z := 0.0
	weights := v.Weights[model]
	j.Features(t, func(name string, value float64) { z += weights[name] * value })
	return decimal.Round(1 / (1 + math.Exp(-z)))
}

// Closeness is the key of the weights of the third model: how likely a valid ADD name is taken for its column.
const Closeness dataset.Side = "close"

// leastPredicted is the least predicted association: 0 means that none was predicted.
const leastPredicted = 0.0001

// association returns how misleading a name is, 0 without weights: for an ADD name the probability that a careless reader
// takes it for the column, for a REPLACE name the share of its longer words that the column's name lacks.
func (v *Validity) association(t *dataset.Table, j *Judged) float64 {
	if v.Weights == nil {
		return 0
	}
	if j.Decision.Side == dataset.Add {
		return max(v.probability(Closeness, t, j), leastPredicted) // above 0, the value without a prediction
	}
	words := lists.Filter(strings.Fields(lexicon.Normal(j.Name)), isLongWord)
	column := strings.Fields(lexicon.Normal(t.Columns[j.Column].Name))
	lacking := lists.Count(words, func(w string) bool { return !slices.Contains(column, w) })
	return decimal.Round(float64(lacking) / float64(max(len(words), 1)))
}

// roundValidity rounds a validity to the four digits that buckets.json has.
func roundValidity(validity float64) float64 { return math.Round(1e4*validity) / 1e4 }

// predict sets validity and association of the names that have a bucket.
func (a *Augmenter) predict(t *dataset.Table, names []Judged) {
	for i := range names {
		if names[i].Decision.Side != "" {
			names[i].Validity = a.Validity.probability(names[i].Decision.Side, t, &names[i])
			names[i].Association = a.Validity.association(t, &names[i])
		}
	}
}

// rejectInvalid rejects the names whose validity is below the minimum.
func (a *Augmenter) rejectInvalid(names []Judged) {
	for i := range names {
		j := &names[i]
		if a.Validity.Advisory || j.Decision.Side == "" || j.Validity >= a.Validity.Min {
			continue
		}
		judged := ""
		if j.Grade != "" {
			judged = ", judged " + j.Grade
		}
		j.reject("validity %.2f < %.2f%s", j.Validity, a.Validity.Min, judged)
	}
}
