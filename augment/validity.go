package augment

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/nli"
)

// Validity predicts the probability that a careful reader accepts a name: a logistic
// model for each bucket, of what the pipeline knows of a proposal, trained on names that
// were judged by readers who did not know where they came from.
type Validity struct {
	Min     float64                             // the least probability of a name that is kept
	Weights map[dataset.Side]map[string]float64 // of [Features], by bucket
}

// DefaultMinValidity is the least validity of a name that is kept.
const DefaultMinValidity = 0.6

//go:embed validity.json
var weights []byte

// DefaultValidity returns the embedded model; `go run ./tools/train validity` makes
// it.
var DefaultValidity = sync.OnceValue(func() map[dataset.Side]map[string]float64 {
	var w map[dataset.Side]map[string]float64
	if err := json.Unmarshal(weights, &w); err != nil {
		panic(err)
	}
	return w
})

// Of returns the probability that a proposal for a column is valid in a bucket.
func (v *Validity) Of(side dataset.Side, t *dataset.Table, column int, p *Proposal) float64 {
	z := 0.0
	w := v.Weights[side]
	Features(t, column, p, func(name string, value float64) { z += w[name] * value })
	return 1 / (1 + math.Exp(-z))
}

// SourceFeature begins the feature that each name of a source has.
const SourceFeature = "source "

// Features reports what is known of a proposal for a column, as numbers of about one.
// Of a source that the model of validity never saw, such as [SourceModel], only those
// count that do not name a source.
func Features(t *dataset.Table, column int, p *Proposal, report func(name string, value float64)) {
	flag := func(name string, holds bool) {
		if holds {
			report(name, 1)
		}
	}
	own := &t.Columns[column]
	source := p.Source
	if p.Composed {
		source = "composed"
	}
	flag(SourceFeature+source, true)
	report("rank "+source, math.Log1p(float64(p.Rank)))
	switch p.Source {
	case "thesaurus":
		report("votes "+source, math.Log1p(float64(min(p.Votes, 8))))
		report("margin "+source, math.Log1p(float64(min(p.Margin, 8))))
		flag("sense by default, "+source, p.Default)
	case "retrieval":
		report("agreement", math.Log(p.Weight+0.01))
		report("nearest table", p.Near)
	case "dictionary":
		term, _, _ := strings.Cut(p.Evidence, " -> ")
		whole := lexicon.Normal(term) == lexicon.Normal(lexicon.Bare(own.Name))
		flag("word by the dictionary", whole && !strings.Contains(term, " "))
		flag("phrase by the dictionary", whole && strings.Contains(term, " "))
	}
	flag("is a heading, by "+source, heading.Default().Has(p.Name))
	e := entailments(&p.Candidate)
	report("lower entailment "+source, min(e.Forward, e.Backward))
	report("higher entailment "+source, max(e.Forward, e.Backward))
	report("similarity", p.Similarity)
	flag("shares a word", sharesWord(own.Name, p.Name))
	flag("other type", p.Type != "" && own.Type != "" && p.Type != own.Type)
	flag("table has a name", dataset.Named(t.Name))
	flag("foreign key, "+source, foreign(t, own.Name))
	report("columns", math.Log1p(float64(len(t.Columns)))/3)
	report("words", float64(len(strings.Fields(p.Name)))/3)
}

// foreign reports whether a column is the key of something else than the table's rows:
// what the name says of that may be no property of a row.
func foreign(t *dataset.Table, column string) bool {
	words := strings.Fields(lexicon.Normal(column))
	last := len(words) - 1
	if last < 1 || words[last] != "id" && words[last] != "code" {
		return false
	}
	return !strings.Contains(lexicon.Normal(t.Name), strings.Join(words[:last], " "))
}

// sharesWord reports whether two names have a word in common, of three letters at least.
func sharesWord(x, y string) bool {
	words := strings.Fields(lexicon.Normal(x))
	return slices.ContainsFunc(strings.Fields(lexicon.Normal(y)), func(w string) bool {
		return len(w) > 2 && slices.Contains(words, w)
	})
}

// predict notes the validity of the proposals that have a bucket.
func (a *Augmenter) predict(t *dataset.Table, proposals [][]Proposal, decisions [][]nli.Decision) {
	for i, list := range proposals {
		for j := range list {
			if side := decisions[i][j].Side; side != "" {
				list[j].Validity = rounded(a.Validity.Of(side, t, i, &list[j]))
			}
		}
	}
}

func rounded(validity float64) float64 { return math.Round(1e4*validity) / 1e4 }

// rejectInvalid rejects the proposals that have a bucket and less than the least
// validity.
func (a *Augmenter) rejectInvalid(proposals [][]Proposal, decisions [][]nli.Decision) {
	for i, list := range proposals {
		for j := range list {
			d, p := &decisions[i][j], &list[j]
			if d.Side == "" || p.Validity >= a.Validity.Min {
				continue
			}
			*d = nli.Decision{Reason: fmt.Sprintf("validity %.2f < %.2f", p.Validity, a.Validity.Min)}
			if p.Grade != "" {
				d.Reason += ", judged " + p.Grade
			}
		}
	}
}
