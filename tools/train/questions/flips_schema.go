package questions

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/lexicon"
)

// mention is the place of a name in a question, in bytes; plural is set if an s follows.
type mention struct {
	from, to int
	plural   bool
}

// find returns the first mention of a name of the schema as whole words; ok is false if there is none.
func find(q, name string) (m mention, ok bool) {
	lower := strings.ToLower(q)
	if len(lower) != len(q) {
		return mention{}, false
	}
	for from := 0; ; {
		at := strings.Index(lower[from:], name)
		if at < 0 {
			return mention{}, false
		}
		m = mention{from: from + at, to: from + at + len(name)}
		if m.to < len(q) && lower[m.to] == 's' {
			m.to, m.plural = m.to+1, true
		}
		if (m.from == 0 || !letter(lower[m.from-1])) && (m.to == len(q) || !letter(lower[m.to])) {
			return m, true
		}
		from = m.to
	}
}

// letter reports whether c is a letter or digit of a word in lower case.
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// columnNames returns the natural names of a table's columns.
func columnNames(t dataset.Table) []string {
	var out []string
	for _, c := range t.Columns {
		if name := strings.ToLower(c.Name); len(name) > 1 && name != "*" {
			out = append(out, name)
		}
	}
	return out
}

// flipColumn puts another column of the same table in the place of one that the
// question names.
func flipColumn(rng *rand.Rand, db *database, q string) (string, bool) {
	for _, i := range rng.Perm(len(db.schema.Tables)) {
		names := columnNames(db.schema.Tables[i])
		if now, ok := exchange(rng, q, names, names); ok {
			return now, true
		}
	}
	return "", false
}

// flipTable does so for tables.
func flipTable(rng *rand.Rand, db *database, q string) (string, bool) {
	names := lists.Map(db.schema.Tables, func(t dataset.Table) string { return strings.ToLower(t.Name) })
	return exchange(rng, q, names, names)
}

// exchange replaces a mention of one of names in q by one of others that is not related to it and of which q has no word. It
// returns false if there is none.
func exchange(rng *rand.Rand, q string, names, others []string) (string, bool) {
	for _, i := range rng.Perm(len(names)) {
		m, ok := find(q, names[i])
		if !ok {
			continue
		}
		for _, j := range rng.Perm(len(others)) {
			if related(names[i], others[j]) || anyWord(q, others[j]) {
				continue
			}
			now := others[j]
			if m.plural && !strings.HasSuffix(now, "s") {
				now += "s"
			}
			return q[:m.from] + now + q[m.to:], true
		}
	}
	return "", false
}

// related reports whether two names have a word in common or are synonyms: "singer" and "singer in concert" may mean
// the same.
func related(a, b string) bool {
	words := strings.Fields(lexicon.Normal(a))
	for w := range strings.FieldsSeq(lexicon.Normal(b)) {
		if slices.Contains(words, w) {
			return true
		}
	}
	return slices.Contains(lexicon.DefaultDictionary().Synonyms(a), b)
}

// anyWord reports whether a question has a word of a name.
func anyWord(q, name string) bool {
	for w := range strings.FieldsSeq(name) {
		if _, ok := find(q, w); ok {
			return true
		}
	}
	return false
}

var (
	clause    = regexp.MustCompile(`(?i)\s(whose|with|that|who|which|where|in|for|from|after|before|having|when|by|at|on)\s[^?.]*`)
	relative  = regexp.MustCompile(`(?i)^\s(whose|with|that|who|which|without)(\s\w+){2}`)
	condition = regexp.MustCompile(`\d|["']|[a-z] [A-Z]|(?i)\b(not|no|more|less|than|least|most|above|below|over|under|highest|lowest)\b`)
)

// loseCondition drops the end of a question from the last clause that is relative or has a number, a value or a comparison, and
// sometimes from an earlier one.
func loseCondition(rng *rand.Rand, _ *database, q string) (string, bool) {
	var starts []int
	for from := 0; ; {
		at := clause.FindStringIndex(q[from:])
		if at == nil {
			break
		}
		starts = append(starts, from+at[0])
		from += at[0] + 1
	}
	slices.Reverse(starts)
	for _, at := range starts {
		head, tail := q[:at], q[at:]
		if len(strings.Fields(head)) < 4 {
			return "", false
		}
		if (condition.MatchString(tail) || relative.MatchString(tail)) && (rng.IntN(3) > 0 || at == starts[len(starts)-1]) {
			return strings.TrimRight(head, " ,") + "?", true
		}
	}
	return "", false
}

// loseColumn drops one of several columns that the question asks for.
func loseColumn(rng *rand.Rand, db *database, q string) (string, bool) {
	var cuts []mention
	for _, t := range db.schema.Tables {
		for _, name := range columnNames(t) {
			m, ok := find(q, name)
			if !ok {
				continue
			}
			before, after := strings.ToLower(q[:m.from]), strings.ToLower(q[m.to:])
			for _, link := range []string{" and ", " and the ", ", and ", ", "} {
				if strings.HasSuffix(before, link) {
					cuts = append(cuts, mention{from: m.from - len(link), to: m.to})
					break
				}
			}
			for _, link := range []string{" and ", ", "} {
				if strings.HasPrefix(after, link) {
					cuts = append(cuts, mention{from: m.from, to: m.to + len(link)})
				}
			}
		}
	}
	if len(cuts) == 0 {
		return "", false
	}
	m := cuts[rng.IntN(len(cuts))]
	return q[:m.from] + q[m.to:], true
}
