// Package adveta holds the two adversarial table perturbations of ADVETA:
// REPLACE renames the columns that a question's gold SQL mentions, ADD puts
// distracting columns beside them (ADVETA, sections 2 and 5.2).
//
// Both draw a name for each mentioned column from its bucket. A draw depends on the seed,
// the sample and the set of mentioned columns: questions that mention the same columns
// share a perturbed table, which is stored once, and the draws of different sets are
// independent. The paper draws for each question; its five attacks are five samples here.
package adveta

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/perturb"
)

// All lists the perturbations of this package.
var All = []*perturb.Perturbation{Replace, Add}

// kind is the difference between REPLACE and ADD: the names of a bucket that it draws
// from, the columns that it cannot perturb, and the edit for a name.
type kind struct {
	candidates       func(dataset.Bucket) []dataset.Candidate
	renamesTiedAlike bool // columns of one name that keys tie get one name
	isFixed          func(db *dataset.Database, column dataset.ColumnRef) bool
	edit             func(p *perturb.Pass, column dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit
}

// group is the examples with the same perturbable columns.
type group struct {
	columns  []dataset.ColumnRef
	examples []*perturb.Example
}

// groups returns the examples grouped by their perturbable columns, and the keys of the groups in the
// order of their first examples. Examples without such columns are left out. If the pass makes one
// schema for the whole database, all examples are one group.
func (k kind) groups(p *perturb.Pass) (keys []string, groups map[string]*group) {
	groups = map[string]*group{}
	for _, ex := range p.Examples {
		columns := k.perturbable(p, ex)
		if len(columns) == 0 {
			continue
		}
		key := fmt.Sprint(columns)
		if p.Scope == perturb.ScopeDatabase {
			key = string(p.Scope)
		}
		g := groups[key]
		if g == nil {
			g = &group{}
			keys, groups[key] = append(keys, key), g
		}
		g.examples = append(g.examples, ex)
		g.columns = append(g.columns, columns...)
	}
	for _, g := range groups {
		slices.SortFunc(g.columns, dataset.ColumnRef.Compare)
		g.columns = slices.Compact(g.columns)
	}
	return keys, groups
}

// run reports, for each sample and each distinct set of perturbable columns,
// one variant for all examples with that set.
func (k kind) run(p *perturb.Pass) error {
	keys, groups := k.groups(p)
	for sample := range p.Samples {
		for _, key := range keys {
			examples := groups[key].examples
			edits := k.choose(p, groups[key].columns, strconv.Itoa(sample), key)
			if len(edits) == 0 {
				p.RejectAll(examples, sample, "no-free-name")
				continue
			}
			p.Report(perturb.Variant{Sample: sample, Examples: examples, Edits: edits})
		}
	}
	return p.Context.Err()
}

// perturbable returns the mentioned columns that have candidates, in the
// order of the schema.
func (k kind) perturbable(p *perturb.Pass, ex *perturb.Example) []dataset.ColumnRef {
	refs := lists.Filter(ex.Columns, func(ref dataset.ColumnRef) bool {
		return !k.isFixed(p.DB, ref) && len(k.bucket(p, ref)) > 0
	})
	slices.SortFunc(refs, dataset.ColumnRef.Compare)
	return refs
}

// bucket returns the candidates of a column. If it has none and the kind renames tied columns alike, it returns those of a column
// of the same name that it refers to.
func (k kind) bucket(p *perturb.Pass, ref dataset.ColumnRef) []dataset.Candidate {
	own := k.candidates(p.Buckets[p.DB.ColumnID(ref).Key()])
	if len(own) > 0 || !k.renamesTiedAlike {
		return own
	}
	for _, tied := range perturb.Tied(p.DB, ref) {
		if slices.Contains(p.DB.ForeignKeys, dataset.ForeignKey{Column: ref, Target: tied}) {
			return k.candidates(p.Buckets[p.DB.ColumnID(tied).Key()])
		}
	}
	return nil
}

// tied returns the candidates by which earlier edits rename columns that a foreign key links to ref and that have its name, so that
// a key and the column that it refers to are renamed alike. It returns none unless the kind renames tied columns alike.
func (k kind) tied(p *perturb.Pass, ref dataset.ColumnRef, edits []perturb.Edit) (names []dataset.Candidate) {
	if !k.renamesTiedAlike {
		return nil
	}
	for _, tied := range perturb.Tied(p.DB, ref) {
		for _, e := range edits {
			r, ok := e.(perturb.RenameColumn)
			if ok && r.Table == p.DB.Tables[tied.Table].Original && r.Column == p.DB.Column(tied).Original {
				names = append(names, r.From)
			}
		}
	}
	return names
}

// attempts is how often names are drawn while a column gets none because another column
// took them all.
const attempts = 16

// choose draws a name for every column and returns the edits. It tries the names of tied columns
// first. It skips names that the table has already, or that an earlier column took. Where no draw
// names all columns, it returns the first that names most, and the other columns stay unchanged.
func (k kind) choose(p *perturb.Pass, columns []dataset.ColumnRef, keys ...string) []perturb.Edit {
	rng := p.Rand(keys...)
	var best []perturb.Edit
	for range attempts {
		names := perturb.NewFreeNames(p.DB)
		var edits []perturb.Edit
		for _, ref := range columns {
			drawn := order(rng, k.bucket(p, ref), p.Prefer)
			for _, c := range append(k.tied(p, ref, edits), drawn...) {
				if name, ok := names.Take(ref.Table, c.Name); ok {
					edits = append(edits, k.edit(p, ref, name, c))
					break
				}
			}
		}
		if len(edits) > len(best) {
			best = edits
		}
		if len(best) == len(columns) {
			break
		}
	}
	return best
}

// order returns a bucket's names in a random order. Where near names are preferred, a name is drawn with
// the weight leastWeight + 100 × association².
func order(rng *rand.Rand, bucket []dataset.Candidate, prefer dataset.Prefer) []dataset.Candidate {
	if prefer != dataset.Near || !slices.ContainsFunc(bucket, func(c dataset.Candidate) bool { return c.Association > 0 }) {
		return lists.Map(rng.Perm(len(bucket)), func(i int) dataset.Candidate { return bucket[i] })
	}
	weights := lists.Map(bucket, func(c dataset.Candidate) int {
		a := min(max(c.Association, 0), 1) // the file is the user's
		return leastWeight + int(math.Round(100*a*a))
	})
	out := make([]dataset.Candidate, 0, len(bucket))
	for range bucket {
		total := 0
		for _, w := range weights {
			total += w
		}
		at := rng.IntN(total) // a point in the weights, laid end to end
		i := 0
		for at >= weights[i] {
			at -= weights[i]
			i++
		}
		out, weights[i] = append(out, bucket[i]), 0 // each name once
	}
	return out
}

// leastWeight is the weight of a name without any association.
const leastWeight = 5

// bare returns a candidate without its cells, as provenance.
func bare(c dataset.Candidate) dataset.Candidate {
	c.Cells = nil
	return c
}

// Replace is ADVETA-RPL.
var Replace = &perturb.Perturbation{
	Name:        "adveta/replace",
	Doc:         "Renames every column that the gold SQL mentions and that has REPLACE names to a semantically equivalent one of them.",
	Paper:       "ADVETA, sections 2.2 and 5.2",
	Version:     1,
	Needs:       perturb.NeedsBuckets,
	Relation:    perturb.Renamed,
	EveryColumn: true,
	Files:       true,
	Run: kind{
		isFixed:          func(db *dataset.Database, ref dataset.ColumnRef) bool { return db.Column(ref).Fixed },
		candidates:       func(b dataset.Bucket) []dataset.Candidate { return b.Replace },
		renamesTiedAlike: true,
		edit: func(p *perturb.Pass, column dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit {
			return perturb.RenameColumn{
				Table: p.DB.Tables[column.Table].Original, Column: p.DB.Column(column).Original,
				Name: name, Natural: c.Name, From: bare(c),
			}
		},
	}.run,
}

// Add is ADVETA-ADD. The paper leaves the cells of a new column out "for
// simplicity"; here they come from the web table that held the name, or are made
// up by the name and the table's own cells, so that the new table can be queried.
var Add = &perturb.Perturbation{
	Name:        "adveta/add",
	Doc:         "Adds, for every column that the gold SQL mentions and that has ADD names, a semantically associated column to the same table.",
	Paper:       "ADVETA, sections 2.3 and 5.2",
	Version:     1,
	Needs:       perturb.NeedsBuckets,
	Relation:    perturb.Invariant,
	EveryColumn: true,
	Files:       true,
	Run:         add,
}

// add reports variants of a schema in which tables get columns with names of their ADD buckets.
func add(p *perturb.Pass) error {
	db, err := p.Sampled()
	if err != nil {
		return err
	}
	return kind{
		isFixed:    func(db *dataset.Database, ref dataset.ColumnRef) bool { return db.Tables[ref.Table].Kept },
		candidates: func(b dataset.Bucket) []dataset.Candidate { return b.Add },
		edit: func(p *perturb.Pass, column dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit {
			t := &db.Tables[column.Table]
			beside := t.Columns[column.Column]
			typ := perturb.TypeOf(c, beside)
			return perturb.AddColumn{
				Table: t.Original, Beside: beside.Original, Name: name, Natural: c.Name, Type: typ,
				Cells: perturb.Cells(p.Rand("cells", strconv.Itoa(column.Table), name), c, typ, t, column.Column), From: bare(c), // without its cells
			}
		},
	}.run(p)
}
