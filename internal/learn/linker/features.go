package linker

import (
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Features of an item for a question; static ones follow.
const (
	meanOf    = iota * kinds // over the words of its name, of the best in the question
	maxOf                    // over them
	leastOf                  // over them
	headOf                   // of its last word
	ownOf                    // mean over the words that its table's name has not
	gapTable                 // mean, above the best of its table's others
	gapAll                   // mean, above the best of all others of its kind
	tableOf                  // mean of its table's; of a table, the best of its columns'
	partnerOf                // best mean of those that foreign keys join it with
	single                   // what is of one number follows
)

// Features of an item of one number each.
const (
	wholeName = single + iota // its name stands in the question as it is
	runShare                  // the longest run of its name's words that does
	runWords
	rarity  // share of its words, those that fewer items have counting more
	outdone // another item of its kind has a longer run over the same words
	rivals  // one over how many have the same run
	place   // where in the question its best word stands
	nearTable
	afterTable // its table's name stands right before
	value      // a cell of it stands in the question
	valueWords
	valueShare // one over how many columns have it
	number     // a number of it does
	numberShare
	inRange // a number of the question lies among its numbers
	tableValue
	mentioned // share of the items of its table that the question has in whole
	asksNumber
	hasQuote
	questionLength
	dynamicDim
)

// Dim is the number of features of an item.
const Dim = dynamicDim + staticDim

// maxWords bounds how many words of a question are read.
const maxWords = 64

// Question is a question as the linker reads it.
type Question struct {
	words  []string // lower case
	lemmas []string
	quotes bool
}

// NewQuestion reads the tokens of a question.
func NewQuestion(tokens []string, l Lexicon) *Question {
	q := &Question{}
	for _, t := range tokens {
		q.quotes = q.quotes || strings.ContainsAny(t, "\"“”'`")
		for _, w := range lexicon.Words(strings.ToLower(t)) {
			if len(q.words) < maxWords {
				q.words = append(q.words, w)
				q.lemmas = append(q.lemmas, l.Lemma(w))
			}
		}
	}
	return q
}

// reading is a question against a schema while its features are found.
type reading struct {
	*Schema
	q     *Question
	rows  [][]likeness
	best  []likeness // by word of the vocabulary: of the best word of the question
	where []int      // by word of the vocabulary: that word; -1 for none
	runs  []run      // by item
	x     []float32
}

// run is a run of words of a name that the question has.
type run struct{ start, words int }

// Features returns a row of [Dim] features for each item of the schema.
func (s *Schema) Features(q *Question) []float32 {
	r := &reading{Schema: s, q: q, x: make([]float32, len(s.items)*Dim)}
	r.compare()
	r.runs = make([]run, len(s.items))
	for i := range s.items {
		r.runs[i] = r.longest(i)
		r.names(i)
	}
	for i := range s.items {
		r.compete(i)
		r.rest(i)
	}
	r.gaps()
	r.related()
	r.findValues()
	return r.x
}

func (r *reading) row(i int) []float32 { return r.x[i*Dim : (i+1)*Dim] }

// compare finds the best word of the question for each of the schema's.
func (r *reading) compare() {
	r.best, r.where = make([]likeness, len(r.vocab)), make([]int, len(r.vocab))
	r.rows = make([][]likeness, len(r.q.words))
	top := make([]float32, len(r.vocab))
	for v := range r.where {
		r.where[v] = -1
	}
	for i, w := range r.q.words {
		r.rows[i] = r.likeness(w)
		for v := range r.rows[i] {
			l := r.rows[i][v]
			for k, x := range l {
				r.best[v][k] = max(r.best[v][k], x)
			}
			if score := l[1] + .5*max(l[2], 0); score > top[v] && score > .3 {
				top[v], r.where[v] = score, i
			}
		}
	}
}

func (r *reading) same(word, vocab int) bool { return r.rows[word][vocab].same() }

// longest returns the longest run of words of an item's name that the question has.
func (r *reading) longest(i int) run {
	var best run
	words := r.items[i].words
	for a := range words {
		for at := range r.q.words {
			n := 0
			for a+n < len(words) && at+n < len(r.q.words) && r.same(at+n, words[a+n]) {
				n++
			}
			if n > best.words {
				best = run{at, n}
			}
		}
	}
	return best
}

// weight is how much a word counts in a name.
func (r *reading) weight(vocab int) float32 {
	if namepair.Stop(r.vocab[vocab]) {
		return .1
	}
	return 1
}

// names sets the features of an item's own name.
func (r *reading) names(i int) {
	f, it := r.row(i), &r.items[i]
	if len(it.words) == 0 {
		return
	}
	var all, own, rare, rareFound float32
	for k := range kinds {
		f[leastOf+k] = 1
	}
	for j, v := range it.words {
		w, b := r.weight(v), r.best[v]
		all += w
		if it.own[j] {
			own += w
		}
		rareness := w / float32(r.holders[v])
		rare += rareness
		rareFound += rareness * b[0]
		for k, x := range b {
			f[meanOf+k] += w * x
			f[maxOf+k] = max(f[maxOf+k], w*x)
			f[leastOf+k] = min(f[leastOf+k], x)
			if it.own[j] {
				f[ownOf+k] += w * x
			}
		}
	}
	last := r.best[it.words[len(it.words)-1]]
	copy(f[headOf:], last[:])
	for k := range kinds {
		f[meanOf+k] /= all
		f[ownOf+k] /= own
	}
	n := r.runs[i].words
	f[wholeName], f[runShare], f[runWords] = bit(n == len(it.words)), float32(n)/float32(len(it.words)), float32(n)/4
	f[rarity] = rareFound / rare
}

// compete sets the features that compare the run of an item with those of others of its kind.
func (r *reading) compete(i int) {
	a, f := r.runs[i], r.row(i)
	if a.words == 0 {
		return
	}
	same := 0
	for j, b := range r.runs {
		if (r.items[i].column < 0) != (r.items[j].column < 0) || b.words == 0 {
			continue
		}
		overlaps := b.start < a.start+a.words && a.start < b.start+b.words
		switch {
		case !overlaps:
		case b.words > a.words || b.words == a.words && len(r.items[j].words) < len(r.items[i].words):
			f[outdone] = 1
		case b.words == a.words && len(r.items[j].words) == len(r.items[i].words):
			same++
		}
	}
	f[rivals] = 1 / float32(max(1, same))
}

// position returns where the question has the best word for an item; -1 for none.
func (r *reading) position(i int) int {
	if r.runs[i].words > 0 {
		return r.runs[i].start
	}
	words := r.items[i].words
	for j := len(words) - 1; j >= 0; j-- {
		if p := r.where[words[j]]; p >= 0 {
			return p
		}
	}
	return -1
}

// rest sets the features of the item itself, and of its place in the question.
func (r *reading) rest(i int) {
	f, it := r.row(i), &r.items[i]
	copy(f[dynamicDim:], it.static[:])
	f[hasQuote], f[questionLength] = bit(r.q.quotes), float32(len(r.q.words))/20
	for _, w := range r.q.words {
		f[asksNumber] = max(f[asksNumber], bit(english.IsNumeric(w)))
	}
	p := r.position(i)
	if p < 0 {
		return
	}
	f[place] = .2 + float32(p)/float32(len(r.q.words))
	if it.column < 0 {
		return
	}
	if t := r.position(it.table); t >= 0 {
		distance := t - p
		f[afterTable] = bit(distance < 0)
		if distance < 0 {
			distance = -distance
		}
		f[nearTable] = 1 / float32(1+distance)
	}
}

// gaps sets how far an item is above the best of the others.
func (r *reading) gaps() {
	for t := range r.tables {
		start, end := r.columns(t)
		r.above(start, end, gapTable)
	}
	r.above(0, r.tables, gapAll)
	r.above(r.tables, len(r.items), gapAll)
}

func (r *reading) above(start, end, feature int) {
	for k := range kinds {
		var first, second float32
		for i := start; i < end; i++ {
			switch x := r.row(i)[meanOf+k]; {
			case x > first:
				first, second = x, first
			case x > second:
				second = x
			}
		}
		for i := start; i < end; i++ {
			x := r.row(i)[meanOf+k]
			others := first
			if x == first {
				others = second
			}
			r.row(i)[feature+k] = x - others
		}
	}
}

// related sets what the items say that an item belongs with.
func (r *reading) related() {
	for t := range r.tables {
		f := r.row(t)
		start, end := r.columns(t)
		for i := start; i < end; i++ {
			f[mentioned] += .2 * r.row(i)[wholeName]
			for k := range kinds {
				f[tableOf+k] = max(f[tableOf+k], r.row(i)[meanOf+k])
			}
		}
		for i := start; i < end; i++ {
			g := r.row(i)
			copy(g[tableOf:tableOf+kinds], f[meanOf:])
			g[mentioned] = f[mentioned]
		}
		for _, u := range r.joined[t] {
			r.join(t, u)
		}
	}
	for c, partners := range r.partners {
		for _, p := range partners {
			r.join(r.tables+c, r.items[r.tables+p].table)
		}
	}
}

func (r *reading) join(i, table int) {
	for k := range kinds {
		x := &r.row(i)[partnerOf+k]
		*x = max(*x, r.row(table)[meanOf+k])
	}
}

// findValues looks for the cells of columns in the question.
func (r *reading) findValues() {
	if r.cells == nil {
		return
	}
	for start := range r.q.words {
		for n := min(maxCellWords, len(r.q.words)-start); n > 0; n-- {
			key := strings.Join(r.q.words[start:start+n], " ")
			if n == 1 && english.IsFunction(key) {
				continue
			}
			columns := r.cells.find(key)
			if len(columns) == 0 && n == 1 {
				columns = r.cells.find(r.q.lemmas[start])
			}
			r.found(columns, n, n == 1 && english.IsNumeric(key))
		}
		if x, err := strconv.ParseFloat(r.q.words[start], 64); err == nil {
			for c, span := range r.cells.ranges {
				if span.holds(x) {
					r.row(r.tables + c)[inRange] = 1
				}
			}
		}
	}
	for c := range r.items[r.tables:] {
		f := r.row(r.tables + c)
		t := r.row(r.items[r.tables+c].table)
		t[value], t[valueWords], t[valueShare] = max(t[value], f[value]), max(t[valueWords], f[valueWords]), max(t[valueShare], f[valueShare])
		t[number], t[numberShare] = max(t[number], f[number]), max(t[numberShare], f[numberShare])
	}
	for c := range r.items[r.tables:] {
		t := r.row(r.items[r.tables+c].table)
		r.row(r.tables + c)[tableValue] = max(t[value]*t[valueShare], .3*t[number]*t[numberShare])
	}
}

func (r *reading) found(columns []int32, words int, numeric bool) {
	for _, c := range columns {
		f := r.row(r.tables + int(c))
		share := 1 / float32(len(columns))
		if numeric {
			f[number], f[numberShare] = 1, max(f[numberShare], share)
			continue
		}
		f[value], f[valueWords], f[valueShare] = 1, max(f[valueWords], float32(words)/4), max(f[valueShare], share)
	}
}
