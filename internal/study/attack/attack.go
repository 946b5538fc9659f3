// Package attack searches, for each question, a perturbation of its schema or its words that a
// model falls for, within a budget of queries: the loop of TextAttack (Morris et al., 2020) over
// the moves of ADVETA, names that replace a column and columns added next to one, and
// those of Spider-Syn, other words for tables and columns in the question.
//
// The victim is asked about a move only if it changes nothing but names in the gold SQL
// ([verify.Prove]) and its name has the wanted validity. The perturbations found are recorded
// as edits, so that a build executes and writes them.
package attack

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tabperturb/tabperturb/benchmark/spidersyn"
	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/remote/recording"
	"github.com/tabperturb/tabperturb/lexicon"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/verify"
)

// Outcome is the verdict on a victim's answer.
type Outcome struct {
	Right bool
	// Margin is the distance from a wrong answer, 0 or more. A victim with right and wrong answers
	// only returns 1 or 0.
	Margin float64
}

// Victim is a model under attack. A [NoAnswer] error ends the attack of its question, any other
// error ends all work.
type Victim interface {
	// Ask asks about a draft of a question, without edits for the original.
	Ask(ctx context.Context, d *verify.Draft) (Outcome, error)
}

// NoAnswer is an error of a victim that gave no answer.
type NoAnswer struct{ Err error }

// Error implements error.
func (e *NoAnswer) Error() string { return e.Err.Error() }

// Unwrap returns why there is none.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Moves are which moves an attack makes.
type Moves string

// The moves.
const (
	Replace  Moves = "replace"
	Add      Moves = "add"
	Both     Moves = "both" // of either kind: a perturbation replaces or adds
	Question Moves = "question"
	All      Moves = "all" // of schema and question
)

// Schema reports whether schemas are perturbed.
func (m Moves) Schema() bool { return m != Question }

// Words reports whether questions are perturbed.
func (m Moves) Words() bool { return m == Question || m == All }

// Config holds the search, its bounds and the names that it tries.
type Config struct {
	Search      Search
	Budget      int // queries of a question at most, that of the original not counted
	Moves       Moves
	MaxEdits    int     // at once; 0 for as many as the gold SQL mentions columns, as ADVETA has it
	MinValidity float64 // of a name, where it was predicted
	Worst       bool    // keep the worst perturbation of each question, though the victim does not fall for it or was wrong before
	Buckets     dataset.Buckets
	Words       *spidersyn.Attacker // finds words of questions; may be nil where no question is perturbed
	Resources   perturb.Resources   // of Words
	// Likeness is how alike a word of a question and one of a name are, 0 to 1, by which moves
	// are ordered before anything is asked; nil for any order.
	Likeness func(question, name string) float64
	Seed     uint64
}

// Result is the result of the attack on a question.
type Result struct {
	Example *dataset.Example
	Course
	Edits  []perturb.Edit // of the perturbation that fooled the victim, or of the worst one; nil for none
	Failed error          // why the question was not attacked; nil where it was
}

// Course is how the attack on a question went.
type Course struct {
	Right   bool `json:",omitempty"` // the victim was right on the original
	Sites   int  `json:",omitempty"` // number of places that could be perturbed
	Fooled  bool `json:",omitempty"` // a perturbation made the victim wrong
	Queries int  `json:",omitempty"` // made, without that of the original
	At      int  `json:",omitempty"` // number of the query that fooled the victim, from 1; 0 for none
}

// Attacker attacks the questions of one database.
type Attacker struct {
	Config
	DB     *dataset.Database
	Victim Victim

	words *spidersyn.Moves // nil without moves in questions
}

// openWords sets a.words for the questions of a unit, unless the attack perturbs schemas only. It returns an error if a.Words lacks a
// resource. The caller must call closer when the unit is done, also after an error.
func (a *Attacker) openWords(ctx context.Context, u *dataset.Unit) (closer func() error, err error) {
	closer = func() error { return nil }
	if !a.Moves.Words() {
		return closer, nil
	}
	p := &perturb.Pass{Resources: a.Resources, Context: ctx, DB: u.DB}
	for _, ex := range u.Examples {
		if parsed, err := perturb.NewExample(u.DB, ex); err == nil { // Attack returns the error of others
			p.Examples = append(p.Examples, parsed)
		}
	}
	if u.DB.SQLite != "" {
		if p.Content, err = perturb.OpenContent(ctx, u.DB, u.DB.SQLite); err != nil {
			return closer, err
		}
		closer = p.Content.Close
	}
	words, reason, err := a.Words.Open(p)
	if reason != "" {
		err = errors.New(reason.Text())
	}
	a.words = words
	return closer, err
}

// Attack attacks a question. If its gold SQL cannot be parsed or the victim gives no answer, [Result.Failed] has the reason; any other
// error is returned and ends all work.
func (a *Attacker) Attack(ctx context.Context, ex *dataset.Example) (*Result, error) {
	r := &Result{Example: ex}
	parsed, err := perturb.NewExample(a.DB, ex)
	if err != nil {
		r.Failed = err
		return r, nil
	}
	before, err := a.Victim.Ask(ctx, &verify.Draft{Before: parsed, Schema: a.DB, After: ex})
	if err != nil {
		return r.failed(err)
	}
	r.Right = before.Right
	sites, err := a.sites(parsed) // the places where the question or its schema can be perturbed
	if err != nil {
		return nil, err
	}
	r.Sites = len(sites)
	if !r.Right && !a.Worst || len(sites) == 0 { // wrong already and the worst is not wanted, or no place to perturb
		return r, nil
	}
	// By default as many moves are made at once as the gold SQL mentions columns.
	t := &target{Attacker: a, maxEdits: cmp.Or(a.MaxEdits, max(1, len(parsed.Own))), ctx: ctx, example: parsed, sites: sites, outcomes: map[string]Outcome{}, leastMargin: math.Inf(1)}
	a.Search.run(t, a.rand(ex))
	if err := ctx.Err(); err != nil { // the search ended early
		return nil, err
	}
	r.Fooled, r.Queries, r.At, r.Edits = r.Right && t.foolingEdits != nil, t.queries, t.foolingQuery, t.foolingEdits
	if a.Worst && r.Edits == nil {
		r.Edits = t.worstEdits
	}
	if t.err != nil {
		return r.failed(t.err)
	}
	return r, nil
}

// failed returns the result with err in it if the victim gave no answer, and err itself otherwise.
func (r *Result) failed(err error) (*Result, error) {
	if _, none := errors.AsType[*NoAnswer](err); none {
		r.Failed = err
		return r, nil
	}
	return nil, err
}

// rand returns the stream of random numbers of a question.
func (a *Attacker) rand(ex *dataset.Example) *rand.Rand {
	key := recording.Hash("attack", strconv.FormatUint(a.Seed, 10), ex.DB, strconv.Itoa(ex.Index))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(key[:]), binary.LittleEndian.Uint64(key[8:])))
}

// change holds the edits of a move: one edit of a schema, or the edits of all words of a question that are one term. The last edit has
// the new name.
type change []perturb.Edit

// site holds the possible moves at one place of the schema or the question; at most one is made.
type site []change

// sites returns the places where a question can be perturbed by the moves of the attack, in this order: a site for each term
// of its words, with their synonyms; a site for each column that its gold SQL mentions, with the names that may replace it; and a
// site for each column that can be added to the tables of the gold SQL, those next to mentioned columns first.
func (a *Attacker) sites(ex *perturb.Example) (sites []site, err error) {
	if a.words != nil {
		terms, err := a.words.Of(ex)
		if err != nil {
			return nil, err
		}
		for _, words := range terms {
			sites = append(sites, lists.Map(words, func(edits []perturb.Edit) change { return edits }))
		}
	}
	if !a.Moves.Schema() {
		return sites, nil
	}
	mentioned := slices.Clone(ex.Columns)
	slices.SortFunc(mentioned, dataset.ColumnRef.Compare)
	if a.Moves != Add {
		for _, ref := range mentioned {
			if s := a.moves(ref, a.bucket(ref).Replace, a.replace); len(s) > 0 {
				sites = append(sites, s)
			}
		}
	}
	if a.Moves != Replace {
		for _, ref := range a.withOthers(mentioned, ex.Binding.Tables()) {
			for _, e := range a.moves(ref, a.bucket(ref).Add, a.add) { // a site each, as several columns can be added
				sites = append(sites, site{e})
			}
		}
	}
	return sites, nil
}

// withOthers returns the columns of refs, and after them the other columns of the named tables that the database has.
func (a *Attacker) withOthers(refs []dataset.ColumnRef, tables []string) []dataset.ColumnRef {
	for _, name := range tables {
		t := a.DB.Table(name)
		if t < 0 {
			continue
		}
		for c := range a.DB.Tables[t].Columns {
			if ref := (dataset.ColumnRef{Table: t, Column: c}); !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// bucket returns the names for a column.
func (a *Attacker) bucket(ref dataset.ColumnRef) dataset.Bucket {
	return a.Buckets[a.DB.ColumnID(ref).Key()]
}

// moves returns the moves of a column as a site: one for each name. The function edit makes the edit of a move from the column, the name
// as a free identifier and the name. It skips names whose validity is too low and names that the table has.
func (a *Attacker) moves(ref dataset.ColumnRef, names []dataset.Candidate, edit func(dataset.ColumnRef, string, dataset.Candidate) perturb.Edit) (s site) {
	for _, c := range names {
		if c.Validity > 0 && c.Validity < a.MinValidity { // 0: not predicted
			continue
		}
		if name, ok := perturb.NewFreeNames(a.DB).Take(ref.Table, c.Name); ok {
			s = append(s, change{edit(ref, name, c)})
		}
	}
	return s
}

// replace returns the edit that renames a column to a candidate, whose identifier is name.
func (a *Attacker) replace(ref dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit {
	c.Cells = nil // the column keeps its own
	return perturb.RenameColumn{Table: a.DB.Tables[ref.Table].Original, Column: a.DB.Column(ref).Original, Name: name, Natural: c.Name, From: c}
}

// add returns the edit that adds a candidate as a column next to the column at ref. name is its identifier. Equal names get equal
// cells in all questions of the database.
func (a *Attacker) add(ref dataset.ColumnRef, name string, c dataset.Candidate) perturb.Edit {
	beside := a.DB.Column(ref)
	typ := perturb.TypeOf(c, *beside)
	rng := a.rand(&dataset.Example{DB: a.DB.ID + "\x00" + name, Index: ref.Table}) // a stream for the name and the table
	cells := perturb.Cells(rng, c, typ, &a.DB.Tables[ref.Table], ref.Column)
	c.Cells = nil // the edit has them
	return perturb.AddColumn{Table: a.DB.Tables[ref.Table].Original, Beside: beside.Original, Name: name, Natural: c.Name, Type: typ, Cells: cells, From: c}
}

// target is a question under attack.
type target struct {
	*Attacker
	maxEdits      int // moves at once
	ctx           context.Context
	example       *perturb.Example
	sites         []site
	outcomes      map[string]Outcome // by choice: the victim's answer; margin -1 for a choice that cannot be proved
	queries       int
	foolingChoice choice         // the last choice that fooled the victim
	foolingQuery  int            // the query of that choice
	foolingEdits  []perturb.Edit // the edits of that choice; nil for none
	worstEdits    []perturb.Edit // the edits of the choice of least margin
	leastMargin   float64        // that margin
	err           error          // of the victim
}

// choice holds, by site, the index of the move that is made there, or noMove.
type choice []int

const noMove = -1

// none returns the choice without moves.
func (t *target) none() choice { return slices.Repeat(choice{noMove}, len(t.sites)) }

// with returns the choice with the move at a site replaced; noMove removes it.
func (c choice) with(site, move int) choice {
	c = slices.Clone(c)
	c[site] = move
	return c
}

// edits counts the moves of a choice.
func (c choice) edits() int { return lists.Count(c, func(move int) bool { return move >= 0 }) }

// finished reports whether the search ends: a perturbation was found, the budget is spent, the
// victim failed, or the context is done.
func (t *target) finished() bool {
	return t.foolingEdits != nil || t.err != nil || t.queries >= t.Budget || t.ctx.Err() != nil
}

// ask asks the victim about a choice, records its answer and returns the margin. A choice that was asked before
// costs no query. ok is false without an answer: the search is finished, the choice has too many moves or cannot
// be proved, or the victim failed (t.err).
func (t *target) ask(c choice) (margin float64, ok bool) {
	if t.finished() || c.edits() > t.maxEdits {
		return 0, false
	}
	key := fmt.Sprint(c)
	if o, known := t.outcomes[key]; known {
		return o.Margin, o.Margin >= 0
	}
	d, err := t.draft(c)
	if err != nil {
		t.outcomes[key] = Outcome{Margin: -1} // never an answer's margin
		return 0, false
	}
	o, err := t.Victim.Ask(t.ctx, d)
	t.queries++
	if err != nil {
		t.err = err
		return 0, false
	}
	t.outcomes[key] = o
	if o.Margin < t.leastMargin {
		t.worstEdits, t.leastMargin = d.Edits, o.Margin
	}
	if !o.Right {
		t.foolingChoice, t.foolingQuery, t.foolingEdits = c, t.queries, d.Edits
	}
	return o.Margin, true
}

// draft returns the question after the moves of a choice. It returns an error if two moves give one name
// to columns of a table, if a new word of the question is also a new name or another new word, so that it has two
// meanings, or if the draft cannot be proved.
func (t *target) draft(c choice) (*verify.Draft, error) {
	names := perturb.NewFreeNames(t.DB)
	var edits []perturb.Edit
	var words, schema []string // the new ones, in normal form
	for i, m := range c {
		if m < 0 {
			continue
		}
		move := t.sites[i][m]
		edits = append(edits, move...)
		table, name := move.named()
		if table == "" { // a move in the question
			words = append(words, lexicon.Normal(name))
			continue
		}
		schema = append(schema, lexicon.Normal(name))
		if _, free := names.Take(t.DB.Table(table), name); !free {
			return nil, errors.New("two moves have one name")
		}
	}
	for i, w := range words {
		if slices.Contains(schema, w) || slices.Contains(words[:i], w) {
			return nil, errors.New("two moves have one word")
		}
	}
	return verify.Prove(t.example, t.DB, edits)
}

// named returns the new natural name of a move, and its table; "" for a word of the question. The last edit has the name: several edits
// of a question replace the words of one term.
func (c change) named() (table, name string) {
	switch e := c[len(c)-1].(type) {
	case perturb.RenameColumn:
		return e.Table, e.Natural
	case perturb.AddColumn:
		return e.Table, e.Natural
	case perturb.ReplaceSpan:
		return "", e.From.Name
	}
	return "", ""
}
