package augment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DefaultTables is the number of web tables retrieved for a table (ADVETA, section 4.1).
const DefaultTables = 100

const (
	maxQuestions = 10 // questions about a table in a query or a prompt
	maxCells     = 12 // cells of a candidate
)

// retrievalSource proposes the headers of web tables that are like the table: those most
// similar to each column, and those on which the best tables agree ([rerank.Selector]).
var retrievalSource = Source{
	Name:     dataset.RetrievalSource,
	Doc:      "Headers of similar web tables, nearest by embedding similarity.",
	Paper:    "ADVETA, sections 4.1 and 4.2",
	Propose:  proposeHeaders,
	Features: retrievalFeatures,
}

// proposeHeaders is [Source.Propose] of retrievalSource. A header weighs as much as the web
// tables that have it score.
func proposeHeaders(ctx context.Context, r *Resources, u *dataset.Unit, table int) ([][]Proposal, error) {
	t := &u.DB.Tables[table]
	hits, err := r.Index.Search(ctx, queryOf(u, table), r.Tables)
	if err != nil {
		return nil, fmt.Errorf("retrieval: %w", err)
	}
	var items []rerank.Item
	var candidates []dataset.Candidate // of the items, without name and similarity
	total := 0.0
	for _, hit := range hits {
		weight := tableWeight(hit.Score, hits[0].Score)
		total += weight
		for _, c := range hit.Table.Columns {
			if name, ok := cleanHeader(c.Name); ok {
				items = append(items, rerank.Item{Name: name, Weight: weight})
				candidates = append(candidates, dataset.Candidate{
					Evidence: webTableEvidence(hit.Table), Type: c.Type, Cells: c.Cells[:min(len(c.Cells), maxCells)],
				})
			}
		}
	}
	out := make([][]Proposal, len(t.Columns))
	for i, target := range t.Columns {
		for rank, ranked := range r.Selector.Select(target.Name, items, takenNames(t)) {
			c := candidates[ranked.Index]
			c.Name, c.Similarity = ranked.Name, ranked.Similarity
			out[i] = append(out[i], Proposal{Candidate: c, Rank: rank, Weight: ranked.Weight / total, Near: hits[0].Score})
		}
	}
	return out, nil
}

// retrievalFeatures reports how much of the retrieved tables has the name, and how like
// the table the best of them is.
func retrievalFeatures(_ *dataset.Column, p *Proposal, report func(name string, value float64)) {
	report("agreement", math.Log(p.Weight+0.01)) // finite for a weight of 0
	report("nearest table", p.Near)
}

// cleanName matches names as people write and read them: words in lower case, the first
// of letters alone.
var cleanName = lazyregexp.New(`^[a-z]{2,}( [a-z0-9]+)*$`)

// cleanHeader returns a header as a name: without asides, in lower case, of words alone.
// It rejects a header with other signs, which names two things or is cut short.
func cleanHeader(header string) (name string, ok bool) {
	name = rerank.Lower(strings.NewReplacer("-", " ", "'", "", ". ", " ").Replace(strings.TrimSuffix(lexicon.Bare(header), ".")))
	return name, cleanName.MatchString(name)
}

// tableWeight returns the weight of the headers of a web table by its retrieval score and
// the score of the best hit: less than in proportion, as the first tables share the domain.
func tableWeight(score, best float64) float64 {
	if best <= 0 || score <= 0 {
		return 1e-3 // a [rerank.Item] needs a weight above 0
	}
	return (score / best) * (score / best)
}

// tableTitle returns what a table is about by its name, or by its caption where the name is
// made up. It leaves the predicted entity out: on Spider without its names, that brought
// retrieval and dictionary fewer of the names that people gave.
func tableTitle(t *dataset.Table) string {
	if dataset.Named(t.Name) {
		return t.Name
	}
	return t.Caption
}

// columnNames returns the names of a table's columns as people read them.
func columnNames(t *dataset.Table) []string {
	return lists.Map(t.Columns, func(c dataset.Column) string { return c.Name })
}

// queryOf returns the query that retrieves web tables like a table of a unit.
func queryOf(u *dataset.Unit, table int) retriever.Query {
	t := &u.DB.Tables[table]
	return retriever.Query{Name: tableTitle(t), Headers: columnNames(t), Questions: questionsOn(u, table), Distinct: true}
}

// QueryOf returns the query that retrieves web tables like a table of a data directory.
// The name of the table is DB.TABLE, by SQL names.
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

// webTableEvidence returns the [dataset.Candidate.Evidence] of a header: the id and caption
// of its web table.
func webTableEvidence(t *retriever.Table) string {
	if t.Caption == "" {
		return t.ID
	}
	return t.ID + ": " + t.Caption
}

// questionsOn returns the first questions whose gold SQL reads the table.
func questionsOn(u *dataset.Unit, table int) []string {
	var questions []string
	for _, ex := range u.Examples {
		if len(questions) == maxQuestions {
			break
		}
		if readsTable(u.DB, ex.Query, table) {
			questions = append(questions, ex.Question)
		}
	}
	return questions
}

// readsTable reports whether a query can be resolved and reads a table of db.
func readsTable(db *dataset.Database, query string, table int) bool {
	q, err := sqlast.Parse(query)
	if err != nil {
		return false
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(b.Tables(), func(name string) bool { return db.Table(name) == table })
}
