package spidersyn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/perturb"
)

// minSimilarity is the [similarity] that a question must have to the original in a file
// of rewordings, as Spider corrected some questions since.
const minSimilarity = 0.8

// Reworded returns a record for each rewording, as [perturb.WriteReplay] takes them: its edit sets the question of the
// example that was reworded. Rewordings equal to the original get a record too. name is the name of the perturbation.
// The records are in the order of the units' examples.
//
// Spider corrected some questions and gold SQL after Spider-Syn was made of them. So a rewording joins the example with
// the same database, question and gold SQL; else one with the same database and question; else one with the same
// database and gold SQL, whose question has most words in common, the most similar pairs first. Where the file lacks
// the original question, database and gold SQL are enough. Questions compare without case and punctuation. A rewording
// without an example is reported as a record of file.
func Reworded(name, file string, units []*dataset.Unit, all []Rewording, report func(error)) []dataset.Record {
	var records []dataset.Record
	j := joiner{found: map[int]*dataset.Example{}, used: map[*dataset.Example]bool{}}
	j.joinEqual(units, all, func(db, question, query string) string { return db + "\x00" + question + "\x00" + query })
	j.joinEqual(units, all, func(db, question, _ string) string { return db + "\x00" + question })
	j.joinSimilar(units, all)
	for i, w := range all {
		ex := j.found[i]
		if ex == nil {
			report(&dataset.RecordError{File: file, Record: w.Record, Err: fmt.Errorf("no example of %s has this question or gold SQL", w.DB)})
			continue
		}
		edits, err := perturb.MarshalEdits([]perturb.Edit{perturb.SetQuestion{
			Question: w.Now, From: perturb.Certain("", name, ""),
		}})
		if err != nil {
			report(&dataset.RecordError{File: file, Record: w.Record, Err: err})
			continue
		}
		records = append(records, dataset.Record{
			Perturbation: name, Relation: string(perturb.Invariant), Variant: ex.DB, Example: int32(ex.Index), DBPre: ex.DB, DBPost: ex.DB,
			QuestionPre: ex.Question, QuestionPost: w.Now, QueryPre: ex.Query, QueryPost: ex.Query, Edits: string(edits),
			Similarity: 1, Forward: 1, Backward: 1, Verdict: dataset.VerdictVerified,
		})
	}
	position := map[int32]int{} // in the order in which a build writes records
	for _, u := range units {
		for _, ex := range u.Examples {
			position[int32(ex.Index)] = len(position)
		}
	}
	slices.SortStableFunc(records, func(a, b dataset.Record) int { return cmp.Compare(position[a.Example], position[b.Example]) })
	return records
}

// Perturbation returns a perturbation that reports the records of [Reworded] as variants, and rejects examples without one.
func Perturbation(name, doc string, records []dataset.Record) *perturb.Perturbation {
	byExample := map[int]dataset.Record{}
	for _, r := range records {
		byExample[int(r.Example)] = r
	}
	return &perturb.Perturbation{
		Name: name, Doc: doc, Paper: "Spider-Syn, section 2", Version: 1, Relation: perturb.Invariant,
		Run: func(p *perturb.Pass) error {
			for _, ex := range p.Examples {
				r, ok := byExample[ex.Index]
				if !ok {
					p.Reject(ex, 0, "no-rewording")
					continue
				}
				edits, err := perturb.UnmarshalEdits([]byte(r.Edits))
				if err != nil {
					return err
				}
				p.Report(perturb.Variant{Examples: []*perturb.Example{ex}, Edits: edits})
			}
			return nil
		},
	}
}

// joiner finds the examples of rewordings.
type joiner struct {
	found map[int]*dataset.Example // by the rewording's position
	used  map[*dataset.Example]bool
}

// joinEqual joins each rewording that has no example yet, but has its original question, with the first unused example of the same key.
func (j *joiner) joinEqual(units []*dataset.Unit, all []Rewording, key func(db, question, query string) string) {
	free := map[string][]*dataset.Example{}
	for _, u := range units {
		for _, ex := range u.Examples {
			if !j.used[ex] {
				k := key(ex.DB, questionKey(ex.Question), queryKey(ex.Query))
				free[k] = append(free[k], ex)
			}
		}
	}
	for i, w := range all {
		k := key(w.DB, questionKey(w.Question), queryKey(w.Query))
		if j.found[i] == nil && w.Question != "" && len(free[k]) > 0 {
			j.join(i, free[k][0])
			free[k] = free[k][1:]
		}
	}
}

// join joins the rewording at position i with an example.
func (j *joiner) join(i int, ex *dataset.Example) { j.found[i], j.used[ex] = ex, true }

// joinSimilar joins the other rewordings with unused examples of the same database and gold SQL, the pairs with the most similar
// questions first.
func (j *joiner) joinSimilar(units []*dataset.Unit, all []Rewording) {
	byQuery := map[string][]*dataset.Example{}
	for _, u := range units {
		for _, ex := range u.Examples {
			k := ex.DB + "\x00" + queryKey(ex.Query)
			byQuery[k] = append(byQuery[k], ex)
		}
	}
	type pair struct {
		i     int
		ex    *dataset.Example
		share float64
	}
	var pairs []pair
	for i, w := range all {
		if j.found[i] != nil {
			continue
		}
		question, least := lowerTokens(w.Question), minSimilarity
		if w.Question == "" { // the new question is all that the file has
			question, least = lowerTokens(w.Now), 0
		}
		for _, ex := range byQuery[w.DB+"\x00"+queryKey(w.Query)] {
			if share := similarity(question, lowerTokens(ex.Question)); share >= least {
				pairs = append(pairs, pair{i, ex, share})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.share, a.share) })
	for _, p := range pairs {
		if j.found[p.i] == nil && !j.used[p.ex] {
			j.join(p.i, p.ex)
		}
	}
}

// questionKey returns a question for comparison: its tokens in lower case, without punctuation.
func questionKey(question string) string {
	isMark := func(t string) bool { return strings.Trim(t, "'\"`‘’“”.?!,;？") == "" }
	return strings.Join(slices.DeleteFunc(lowerTokens(question), isMark), " ")
}

// queryKey is the form in which gold SQL compares: without case, and with single
// blanks.
func queryKey(query string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.TrimRight(query, "; "))), " ")
}

// maxDiff bounds the tokens of a question that are compared.
const maxDiff = 512

// subsequences returns a table with the length of the longest common subsequence of a[i:] and
// b[j:] in row i, column j.
func subsequences(a, b []string) [][]int {
	longest := make([][]int, len(a)+1) // the last row and column are of empty rests: 0
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	return longest
}

// similarity returns the share of the words of two questions that are in their longest
// common subsequence, 0 to 1; 1 for two empty questions.
func similarity(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(subsequences(a, b)[0][0]) / float64(len(a)+len(b))
}

// lowerTokens returns the first maxDiff tokens of a question in lower case, without
// possessive endings.
func lowerTokens(question string) []string {
	tokens := english.Tokens(question)
	return lists.Map(tokens[:min(len(tokens), maxDiff)], func(t english.Token) string {
		return strings.ToLower(withoutPossessive(t.Of(question)))
	})
}
