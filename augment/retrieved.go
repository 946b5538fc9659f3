package augment

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/sqlast"
)

// Defaults of [Retrieved].
const (
	DefaultTables    = 100 // ADVETA, section 4.1
	defaultQuestions = 10
	maxCells         = 12
)

// Retrieved proposes the headers of similar web tables, the nearest by embedding
// similarity to each column (ADVETA, sections 4.1 and 4.2).
type Retrieved struct {
	Index    *retriever.Index
	Selector *rerank.Selector
	Tables   int // web tables retrieved for a table
}

// Propose implements [Source].
func (r *Retrieved) Propose(ctx context.Context, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	var own []string
	for _, c := range t.Columns {
		own = append(own, c.Name, c.Original)
	}
	query := queryOf(u, table)
	hits, err := r.Index.Search(ctx, query, r.Tables)
	if err != nil {
		return nil, fmt.Errorf("retrieval: %w", err)
	}
	var items []rerank.Item
	var from []dataset.Candidate
	all := 0.0
	for _, hit := range hits {
		all += weight(hit.Score, hits[0].Score)
		for _, c := range hit.Table.Columns {
			name, clean := cleaned(c.Name)
			if !clean {
				continue
			}
			items = append(items, rerank.Item{Name: name, Weight: weight(hit.Score, hits[0].Score)})
			from = append(from, dataset.Candidate{
				Source: "retrieval", Evidence: evidence(hit.Table), Type: c.Type, Cells: c.Cells[:min(len(c.Cells), maxCells)],
			})
		}
	}
	out := make([][]Proposal, len(t.Columns))
	for i, target := range t.Columns {
		for rank, ranked := range r.Selector.Select(target.Name, items, own) {
			c := from[ranked.Index]
			c.Name, c.Similarity = ranked.Name, ranked.Similarity
			out[i] = append(out[i], Proposal{Candidate: c, Rank: rank, Weight: ranked.Weight / all, Near: hits[0].Score})
		}
	}
	return out, nil
}

// clean is the form of a header that people write and read as a name.
var clean = lazyregexp.New(`^[a-z]{2,}( [a-z0-9]+)*$`)

// cleaned returns a header as a name: without asides, in lower case, of words alone. A
// header with other signs says two things or is cut short; it is no name.
func cleaned(header string) (name string, ok bool) {
	name = rerank.Lower(strings.NewReplacer("-", " ", "'", "", ". ", " ").Replace(strings.TrimSuffix(lexicon.Bare(header), ".")))
	return name, clean.MatchString(name)
}

// weight is what a table's word counts for its headers: less than in proportion
// to its score, as the first tables are the ones that share the domain.
func weight(score, best float64) float64 {
	if best <= 0 || score <= 0 {
		return 1e-3
	}
	return (score / best) * (score / best)
}

func queryOf(u *dataset.Unit, table int) retriever.Query {
	t := &u.DB.Tables[table]
	q := retriever.Query{Name: title(t), Questions: questionsOn(u, table), Distinct: true}
	for _, c := range t.Columns {
		q.Headers = append(q.Headers, c.Name)
	}
	return q
}

// QueryOf returns the query that retrieval makes of a table of a data
// directory, given as DB.TABLE by SQL names.
func QueryOf(data, split, name string) (retriever.Query, error) {
	id, table, _ := strings.Cut(name, ".")
	units, err := dataset.Units(data, split, func(error) {})
	if err != nil {
		return retriever.Query{}, err
	}
	for _, u := range units {
		if t := u.DB.Table(table); u.DB.ID == id && t >= 0 {
			return queryOf(u, t), nil
		}
	}
	return retriever.Query{}, fmt.Errorf("%s: no table %q among the databases that the split asks about, expected DB.TABLE", data, name)
}

func evidence(t *retriever.Table) string {
	if t.Caption == "" {
		return t.ID
	}
	return t.ID + ": " + t.Caption
}

// questionsOn returns the first questions whose gold SQL reads the table.
func questionsOn(u *dataset.Unit, table int) []string {
	var out []string
	for _, ex := range u.Examples {
		if len(out) == defaultQuestions {
			break
		}
		q, err := sqlast.Parse(ex.Query)
		if err != nil {
			continue
		}
		b, err := sqlast.Resolve(q, u.DB)
		if err != nil {
			continue
		}
		for _, name := range b.Tables() {
			if u.DB.Table(name) == table {
				out = append(out, ex.Question)
				break
			}
		}
	}
	return out
}
