package augment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/decimal"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// columns returns the columns of a table with their buckets, which hold the names in the order and number that trim leaves.
func (a *Augmenter) columns(db *dataset.Database, table int, names []Judged) []Column {
	columns := make([]Column, len(db.Tables[table].Columns))
	for i := range columns {
		columns[i].ID = db.ColumnID(dataset.ColumnRef{Table: table, Column: i})
	}
	for _, j := range names {
		columns[j.Column].put(&j)
	}
	for i := range columns {
		a.trim(&columns[i])
	}
	return columns
}

// put stores a name in the bucket that it was decided for, or as rejected.
func (c *Column) put(j *Judged) {
	if j.Decision.Side == "" {
		c.Rejected = append(c.Rejected, Rejected{j.Candidate, j.Decision.Reason})
		return
	}
	bucket := j.Decision.Side.Of(&c.Bucket)
	*bucket = append(*bucket, j.Candidate)
}

// trim sorts the buckets of a column, rejects repeats, and cuts the buckets to the caps of
// the sources and to the policy's limit. It sorts names by falling validity, then REPLACE names by
// entailment and ADD names by similarity. If near names are preferred, the first score is
// validity × (1 + association). If validity is only advisory, similarity takes the place of validity
// and entailment.
func (a *Augmenter) trim(c *Column) {
	validity := func(c dataset.Candidate) float64 { return c.Validity }
	entailment := func(c dataset.Candidate) float64 { return min(c.Forward, c.Backward) }
	similarity := func(c dataset.Candidate) float64 { return c.Similarity }
	if a.Validity != nil && a.Validity.Advisory {
		validity, entailment = similarity, similarity
	}
	first := validity
	if a.Prefer == dataset.Near {
		first = func(c dataset.Candidate) float64 { return decimal.Round(validity(c) * (1 + c.Association)) }
	}
	sortNames(c.Bucket.Replace, first, entailment)
	sortNames(c.Bucket.Add, first, similarity)
	c.rejectReworded()
	c.rejectTurned()
	if a.Validity != nil && !a.Validity.Advisory {
		c.rejectUnsure()
	}
	if a.Prefer == dataset.Near {
		c.rejectFar()
	}
	for _, side := range []dataset.Side{dataset.Add, dataset.Replace} { // the order of rejected names in --explain
		for _, s := range a.Sources {
			if most, capped := s.Caps[side]; capped {
				c.cap(side, s.Name, most)
			}
		}
	}
	if a.Policy.Limit > 0 {
		for _, side := range dataset.Sides() {
			c.limit(side, a.Policy.Limit)
		}
	}
}

// sortNames sorts names by a falling first score, then by a falling second one, then by name.
func sortNames(names []dataset.Candidate, first, second func(dataset.Candidate) float64) {
	slices.SortStableFunc(names, func(x, y dataset.Candidate) int {
		return cmp.Or(cmp.Compare(first(y), first(x)), cmp.Compare(second(y), second(x)), cmp.Compare(x.Name, y.Name))
	})
}

// filter rejects the names of a bucket for which reject returns a reason other than "".
func (c *Column) filter(side dataset.Side, reject func(dataset.Candidate) string) {
	bucket := side.Of(&c.Bucket)
	*bucket = slices.DeleteFunc(*bucket, func(name dataset.Candidate) bool {
		reason := reject(name)
		if reason != "" {
			c.Rejected = append(c.Rejected, Rejected{name, reason})
		}
		return reason != ""
	})
}

// rejectReworded rejects ADD names that have the words of a REPLACE name in any order: if the column may be
// renamed to "date of birth", an added "birth date" would repeat it.
func (c *Column) rejectReworded() {
	replace := map[string]string{}
	for _, name := range c.Bucket.Replace {
		replace[lexicon.WordSet(name.Name)] = name.Name
	}
	c.filter(dataset.Add, func(name dataset.Candidate) string {
		if same, ok := replace[lexicon.WordSet(name.Name)]; ok {
			return "has the words of the REPLACE name " + same
		}
		return ""
	})
}

// rejectTurned rejects REPLACE names such as "name of product", whose head noun schemas write last, unless the bucket has no other
// names. "date of birth" and "number of pages" stay.
func (c *Column) rejectTurned() {
	isTurned := func(name dataset.Candidate) bool {
		first, _, turned := strings.Cut(name.Name, " of ")
		return turned && slices.Contains([]string{"name", "title", "price", "cost", "code", "status", "amount", "kind"}, first)
	}
	if !slices.ContainsFunc(c.Bucket.Replace, func(name dataset.Candidate) bool { return !isTurned(name) }) {
		return
	}
	c.filter(dataset.Replace, func(name dataset.Candidate) string {
		if isTurned(name) {
			return "is turned around, and there are other names"
		}
		return ""
	})
}

// sureValidity is the validity from which on all names of a bucket are kept.
const sureValidity = 0.8

// rejectUnsure rejects the names whose predicted validity is below sureValidity. If a bucket has no surer name, it keeps the
// first one.
func (c *Column) rejectUnsure() {
	isUnsure := func(c dataset.Candidate) bool { return c.Validity > 0 && c.Validity < sureValidity } // 0: not predicted
	for _, side := range dataset.Sides() {
		kept := slices.ContainsFunc(*side.Of(&c.Bucket), func(c dataset.Candidate) bool { return !isUnsure(c) })
		c.filter(side, func(name dataset.Candidate) string {
			if !isUnsure(name) || !kept {
				kept = true // the bucket has a name
				return ""
			}
			return fmt.Sprintf("validity %.2f < %.2f, and there are surer names", name.Validity, sureValidity)
		})
	}
}

// leastAssociation is the association from which on an ADD name counts as near. Nobody takes a name below leastPlausible for the column,
// such as "phone" for "logo".
const leastAssociation, leastPlausible = 0.35, 0.1

// rejectFar rejects the ADD names with an association below leastAssociation, except one: the first of them that other tables
// support, or else the first from leastPlausible on.
func (c *Column) rejectFar() {
	isFar := func(c dataset.Candidate) bool { return c.Association > 0 && c.Association < leastAssociation }
	kept := slices.IndexFunc(c.Bucket.Add, func(c dataset.Candidate) bool { return isFar(c) && c.Support > 0 })
	if kept < 0 {
		kept = slices.IndexFunc(c.Bucket.Add, func(c dataset.Candidate) bool { return isFar(c) && c.Association >= leastPlausible })
	}
	spared := ""
	if kept >= 0 {
		spared = c.Bucket.Add[kept].Name
	}
	c.filter(dataset.Add, func(name dataset.Candidate) string {
		switch {
		case !isFar(name) || name.Name == spared:
			return ""
		case spared == "":
			return fmt.Sprintf("association %.4f < %.2f", name.Association, leastPlausible) // 0.0996 is no 0.10
		}
		return fmt.Sprintf("association %.2f < %.2f, %s is the one such name", name.Association, leastAssociation, spared)
	})
}

// cap rejects the last names of a source in a bucket if the bucket holds more than most names. It counts the
// names of other sources first, and never rejects them.
func (c *Column) cap(side dataset.Side, source string, most int) {
	// n counts the names of other sources, then those of this source so far too.
	n := lists.Count(*side.Of(&c.Bucket), func(name dataset.Candidate) bool { return name.Source != source })
	c.filter(side, func(name dataset.Candidate) string {
		if name.Source != source {
			return ""
		}
		if n++; n <= most {
			return ""
		}
		return fmt.Sprintf("there are %d surer names", n-1)
	})
}

// limit rejects the names of a bucket after the first most.
func (c *Column) limit(side dataset.Side, most int) {
	n := 0
	c.filter(side, func(dataset.Candidate) string {
		if n++; n <= most {
			return ""
		}
		return fmt.Sprintf("the bucket holds %d better ones", most)
	})
}
