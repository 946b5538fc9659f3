package augment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/lexicon/heading"
	"github.com/tabperturb/tabperturb/rerank"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/retriever/statistics"
	"github.com/tabperturb/tabperturb/sqlast"
)

// DefaultTables is the number of web tables retrieved for a table (ADVETA, section 4.1).
const DefaultTables = 100

const (
	maxQuestions = 10 // questions about a table in a query or a prompt
	maxCells     = 12 // cells of a candidate
)

// retrievalSource proposes headers on which tables of the same kind agree: to replace a column if tables have the header
// instead of the column, to be added if they have both. The paper takes the headers that are nearest by embedding, which
// seldom are more than rewordings.
var retrievalSource = Source{
	Name:       dataset.RetrievalSource,
	Doc:        "Headers on which similar tables agree.",
	Paper:      "ADVETA, sections 4.1 and 4.2",
	Propose:    proposeHeaders,
	KnowsTable: true,
}

// The least for a header that is proposed: the number of repositories that have it; to replace a column, its share of the
// tables of the kind; to be added, its mean nearness to the column ([rerank.Beside.Near]), in tables of other kinds too.
const (
	leastSupport = 2
	leastShare   = 0.04
	leastNear    = 0.04
)

// proposeHeaders returns, for each column of a table, the headers of retrieved tables that may replace it or be added,
// the nearest to the column first.
func proposeHeaders(ctx context.Context, r *Resources, a *Asked) ([][]Proposal, error) {
	t, thesaurus := a.table(), heading.Default()
	out := make([][]Proposal, len(t.Columns))
	columns := make([]heading.Column, len(t.Columns))
	for i := range columns {
		columns[i] = thesaurus.Of(t, i)
	}
	for _, h := range a.Agreement.Headers {
		name, ok := cleanHeader(h.Name)
		if !ok {
			continue
		}
		c := dataset.Candidate{Name: name, Evidence: headerEvidence(h), Type: h.Type}
		if cells := h.From.Columns[h.Column].Cells; len(cells) > 0 {
			c.Cells = cells[:min(len(cells), maxCells)]
		}
		instead := lists.Count(h.Beside, rerank.Beside.Instead) // columns of the table that it replaces
		for i, column := range t.Columns {
			side := sideOf(h, i, instead)
			if side == "" || side == dataset.Add && thesaurus.Repeats(columns[i], name) {
				continue
			}
			c.Similarity = r.Selector.Similarity(column.Name, name)
			out[i] = append(out[i], Proposal{Candidate: c, Side: side, Header: h})
		}
	}
	r.rank(out)
	return out, ctx.Err()
}

// sideOf returns the bucket that a header is proposed for at a column, "" if too few tables support it. instead is the number of
// columns that the header replaces in retrieved tables ([rerank.Beside.Instead]). A header that replaces none may be added, and one
// that replaces one column may replace that. A header that replaces several comes from tables of another kind.
func sideOf(h *rerank.Header, column, instead int) dataset.Side {
	b := h.Beside[column]
	switch instead {
	case 0:
		if b.Near >= leastNear && b.Support >= leastSupport {
			return dataset.Add
		}
	case 1:
		if b.Instead() && h.Support >= leastSupport && h.Share >= leastShare {
			return dataset.Replace
		}
	}
	return ""
}

// rank orders the headers proposed for each column by how near retrieved tables have them to it, unless the selector keeps
// their order. It cuts each list to the selector's TopK and sets the ranks.
func (r *Resources) rank(lists [][]Proposal) {
	for i, list := range lists {
		if !r.Selector.InOrder {
			slices.SortStableFunc(list, func(x, y Proposal) int {
				return cmp.Compare(y.Header.Beside[i].Near, x.Header.Beside[i].Near)
			})
		}
		if r.Selector.TopK >= 0 {
			lists[i] = list[:min(len(list), r.Selector.TopK)]
		}
		for rank := range lists[i] {
			lists[i][rank].Rank = rank
		}
	}
}

// The number of embedded tables that are retrieved for a table, and for each of its columns.
const (
	maxLike = 200
	maxEach = 60
)

// agree compares the headers of a table with those of similar tables: those that the index finds, if there is one, and then the embedded
// ones. If retrieval is not among the sources, it compares them with no table.
func (a *Augmenter) agree(ctx context.Context, u *dataset.Unit, table int) (*rerank.Agreement, error) {
	asked := rerank.Asked(&u.DB.Tables[table])
	if !a.retrieves() {
		return rerank.Agree(asked, nil), nil
	}
	var tables []*statistics.Table
	if a.Resources.Index != nil {
		hits, err := a.Resources.Index.Search(ctx, queryOf(u, table), a.Resources.Tables)
		if err != nil {
			return nil, fmt.Errorf("retrieval: %w", err)
		}
		tables = lists.Map(hits, func(h retriever.Hit) *statistics.Table { return statistics.Keyed(h.Table) })
	}
	return rerank.Agree(asked, append(tables, statistics.Default().Like(asked, maxLike, maxEach)...)), nil
}

// retrieves reports whether retrieval is among the sources. Without it no table confirms a name either.
func (a *Augmenter) retrieves() bool {
	return slices.ContainsFunc(a.Sources, func(s Source) bool { return s.Name == dataset.RetrievalSource })
}

// confirm sets how other tables support a name from any source: the header that it is in retrieved tables, and how often
// embedded tables have it together with its column and how it fits the asked table.
func (j *Judged) confirm(a *Asked) {
	j.Header = cmp.Or(j.Header, a.Agreement.Of(j.Name))
	key := statistics.Key("", j.Name)
	j.together = statistics.Default().Together(a.keys[j.Column], key)
	j.fit = statistics.Default().Fit(append([]string{a.rows}, a.keys...), key) // with what a row is, and with the headers
	j.Support = j.together
	if j.Header != nil {
		j.Support = max(j.Support, j.Header.Support, j.Header.Beside[j.Column].Support)
	}
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

// tableTitle returns the name of a table, or its caption if the name is made up. It does not use the predicted
// entity: on Spider without its names, that brought retrieval and dictionary fewer of the names that people gave.
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

// headerEvidence returns the [dataset.Candidate.Evidence] of a header: how many repositories have it in tables of the same kind,
// its share of these, and the likest table that has it.
func headerEvidence(h *rerank.Header) string {
	t := h.From
	id := strings.Trim(cmp.Or(t.Repository, t.ID)+": "+t.Caption, ": ")
	if id == "" {
		id = strings.Join(t.Headers(), ", ")
	}
	if h.Support == 0 { // no table of the same kind has it
		return "beside it in " + id
	}
	return fmt.Sprintf("of %d similar tables, share %.2f, as %s", h.Support, h.Share, id)
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
	q, err := db.SQL().Parse(query)
	if err != nil {
		return false
	}
	b, err := sqlast.Resolve(q, db)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(b.Tables(), func(name string) bool { return db.Table(name) == table })
}
