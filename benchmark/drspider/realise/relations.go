package realise

import (
	_ "embed" // relations.txt
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed data/relations.txt
var relationText string

// relations are the verbs by which rows of one table meet those of another.
type relations []relation

type relation struct {
	from, to    []string // nouns, or classes as "{person}"
	links       []string // of the table that joins them; none for any
	roles       []string // of the key; none for any
	verbs, back []string // for many: "take", "are taken by"
}

var defaultRelations = sync.OnceValue(func() relations {
	var all relations
	for _, row := range wordfile.Rows(relationText, 4) {
		to, link, role := row[1], "", ""
		if m := linkOrRole.FindStringSubmatch(to); m != nil {
			to, link, role = m[1], m[2], m[3]
		}
		all = append(all, relation{terms(row[0]), terms(to), terms(link), terms(role), wordings(row[2]), wordings(row[3])})
	}
	return all
})

// linkOrRole reads "course <enrollment, takes>" and "airport (source, origin)".
var linkOrRole = lazyregexp.New(`^(.*?)\s*(?:<(.*)>|\((.*)\))$`)

func terms(text string) []string {
	var out []string
	for t := range strings.SplitSeq(text, ",") {
		if t = strings.TrimSpace(t); t != "" && t[0] != '{' {
			t = lexicon.Normal(t)
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func wordings(text string) []string {
	var out []string
	for t := range strings.SplitSeq(text, ";") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// of returns the verbs of the surest relation: nouns before classes, and what names a
// link or a role before what does not.
func (r relations) of(from, to, link, role string) []string {
	x, y := kindsOf(from), kindsOf(to)
	best, verbs := 0, []string(nil)
	for i := range r {
		if score := r[i].fits(x, y, link, role); score > best {
			best, verbs = score, r[i].verbs
		}
		if score := r[i].fits(y, x, link, role); score > best {
			best, verbs = score, r[i].back
		}
	}
	return verbs
}

func (r *relation) fits(from, to []string, link, role string) int {
	score := matches(r.from, from)
	if score == 0 {
		return 0
	}
	score *= matches(r.to, to)
	switch {
	case len(r.links) > 0 && !slices.Contains(r.links, link), len(r.roles) > 0 && !slices.Contains(r.roles, role):
		return 0
	case len(r.links)+len(r.roles) > 0:
		return score * 2
	case role != "" && role != to[len(to)-1]:
		return 0 // the key says more than the tables do
	}
	return score
}

// matches is 3 for a noun, 2 for its last word, 1 for a class, 0 for none. The noun is
// the last of kinds.
func matches(terms, kinds []string) int {
	noun := kinds[len(kinds)-1]
	last := noun[strings.LastIndexByte(noun, ' ')+1:]
	best := 0
	for _, t := range terms {
		switch {
		case t == noun:
			return 3
		case t == last:
			best = 2
		case best == 0 && t[0] == '{' && slices.Contains(kinds, t):
			best = 1
		}
	}
	return best
}
