package realise

import (
	_ "embed" // relations.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/relations.txt
var relationText string

// relations are the verbs by which rows of one table meet those of another.
type relations []relation

// relation is a row of data/relations.txt.
type relation struct {
	from, to       []string // nouns, or classes as "{person}"
	links          []string // names of the table that joins the two; none for any
	roles          []string // what the key calls the rows; none for any
	verbs, inverse []string // plural verbs: "take", "are taken by"
}

// defaultRelations reads data/relations.txt.
var defaultRelations = sync.OnceValue(func() relations {
	var all relations
	for _, row := range wordfile.Rows(relationText, 4) {
		to, link, role := row[1], "", ""
		if m := linkOrRole.FindStringSubmatch(to); m != nil {
			to, link, role = m[1], m[2], m[3]
		}
		all = append(all, relation{splitTerms(row[0]), splitTerms(to), splitTerms(link), splitTerms(role), wordfile.Phrases(row[2]), wordfile.Phrases(row[3])})
	}
	return all
})

// linkOrRole reads "course <enrollment, takes>" and "airport (source, origin)".
var linkOrRole = lazyregexp.New(`^(.*?)\s*(?:<(.*)>|\((.*)\))$`)

// splitTerms returns the nouns, in their normal form, and the classes of nouns in a cell of data/relations.txt: "course" and
// "{event}" for "Courses, {event}".
func splitTerms(text string) []string {
	var out []string
	for t := range strings.SplitSeq(text, ",") {
		t = strings.TrimSpace(t)
		if !strings.HasPrefix(t, "{") {
			t = lexicon.Normal(t)
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// find returns the verbs between two nouns by the relation that scores highest for them, in either direction, or nil;
// see [writer.relationVerbs] for link and role.
func (r relations) find(from, to, link, role string) []string {
	x, y := kindsOf(from), kindsOf(to)
	best, verbs := 0, []string(nil)
	for i := range r {
		if score := r[i].score(x, y, link, role); score > best {
			best, verbs = score, r[i].verbs
		}
		if score := r[i].score(y, x, link, role); score > best {
			best, verbs = score, r[i].inverse
		}
	}
	return verbs
}

// score returns how certain it is that a relation holds between two nouns, given by their [kindsOf]; 0
// if it does not. Nouns score more than classes, and a relation for this link or
// role scores twice as much.
func (r *relation) score(from, to []string, link, role string) int {
	score := matchScore(r.from, from)
	if score == 0 {
		return 0
	}
	score *= matchScore(r.to, to)
	switch {
	case len(r.links) > 0 && !slices.Contains(r.links, link):
		return 0
	case len(r.roles) > 0 && !slices.Contains(r.roles, role):
		return 0
	case len(r.links)+len(r.roles) > 0:
		return score * 2
	case role != "" && role != to[len(to)-1]:
		return 0 // the key's role may mean another relation
	}
	return score
}

// matchScore returns 3 if one of the terms is the noun, 2 for its last word, 1 for one of its classes
// and 0 for none of these. The noun is the last of kinds.
func matchScore(terms, kinds []string) int {
	noun := kinds[len(kinds)-1]
	_, last := english.CutLast(noun)
	best := 0
	for _, t := range terms {
		switch {
		case t == noun:
			return 3
		case t == last:
			best = 2
		case t[0] == '{' && slices.Contains(kinds, t):
			best = max(best, 1)
		}
	}
	return best
}
