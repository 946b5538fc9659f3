package linker

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/language/english"
	"github.com/tabperturb/tabperturb/internal/learn/nli/namepair"
	"github.com/tabperturb/tabperturb/lexicon"
)

// Features of an item for a question, one for each measure of likeness. After them come those of one
// number each, and those that do not depend on the question.
const (
	meanOf    = iota * kinds // mean over the words of its name, of their best likeness to the question
	maxOf                    // the maximum over them
	leastOf                  // the minimum over them
	headOf                   // the same for its last word
	ownOf                    // mean over the words that its table's name lacks
	gapTable                 // the mean, less the highest of the other columns of its table
	gapAll                   // the mean, less the highest of all other tables, or of all other columns
	parentOf                 // the mean of its table; for a table, the highest of its columns
	partnerOf                // the highest mean of those that foreign keys join it with
	single                   // the features of one number each follow
)

// Features of an item of one number each.
const (
	wholeName  = single + iota // 1 if the question has its whole name
	runShare                   // share of its name's words in its longest run
	runWords                   // words of that run
	rarity                     // share of its words that the question has; rare ones count more
	outdone                    // 1 if another table or column has a longer run over the same words
	rivals                     // 1 over the number of those with the same run
	place                      // position of its mention in the question
	nearTable                  // nearness of that to the mention of its table
	afterTable                 // 1 if its table is mentioned before it
	value                      // 1 where the question mentions a cell of it
	valueWords                 // words of that mention
	valueShare                 // 1 over the number of columns that have the cell
	number                     // the same for a mention that is a number
	numberShare
	inRange    // 1 where a number of the question is in the range of its numbers
	tableValue // the strongest evidence of cells for its table
	mentioned  // columns of its table whose whole name the question has
	asksNumber // 1 if the question has a number
	hasQuote   // 1 if it has a quotation mark
	questionLength
	dynamicDim
)

// Dim is the number of features of an item.
const Dim = dynamicDim + staticDim

// maxWords bounds how many words of a question are read.
const maxWords = 64

// Question is a question as the linker reads it.
type Question struct {
	words  []string // in lower case
	lemmas []string // by word
	quotes bool     // whether it has a quotation mark
}

// NewQuestion returns the question of these tokens; words after the first maxWords are dropped.
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
	question   *Question
	likenesses [][]likeness // by word of the question and word of vocab
	bestOf     []likeness   // by word of vocab: each measure's highest value over the words of the question
	bestAt     []int        // by word of vocab: position of the word of the question most like it; -1 for none
	runs       []run        // by item: the longest run of its name
	features   []float32    // a row of Dim for each item
}

// run is a run of words that a name and the question have: where it starts in the question, and the
// number of its words.
type run struct{ start, words int }

// Features returns a row of [Dim] features for each item of the schema.
func (s *Schema) Features(q *Question) []float32 {
	r := &reading{Schema: s, question: q, features: make([]float32, len(s.items)*Dim)}
	r.compareWords()
	r.runs = make([]run, len(s.items))
	for i := range s.items {
		r.runs[i] = r.longestRun(i)
		r.nameFeatures(i)
	}
	for i := range s.items {
		r.rivalFeatures(i)
		r.positionFeatures(i)
	}
	r.gapFeatures()
	r.neighbourFeatures()
	r.cellFeatures()
	return r.features
}

// row returns the features of an item, which share the memory of r.features.
func (r *reading) row(i int) []float32 { return r.features[i*Dim : (i+1)*Dim] }

// compareWords sets likenesses, the likeness of each word of the question to each word of the schema's names, and by word of
// the names bestOf, the highest of each measure, and bestAt, the position of the question's word most like it.
func (r *reading) compareWords() {
	r.bestOf, r.bestAt = make([]likeness, len(r.vocab)), make([]int, len(r.vocab))
	r.likenesses = make([][]likeness, len(r.question.words))
	top := make([]float32, len(r.vocab))
	for v := range r.bestAt {
		r.bestAt[v] = -1
	}
	for i, w := range r.question.words {
		r.likenesses[i] = r.likeness(w)
		for v := range r.likenesses[i] {
			l := r.likenesses[i][v]
			for k, x := range l {
				r.bestOf[v][k] = max(r.bestOf[v][k], x)
			}
			// l[1] is for forms and synonyms, l[2] for vectors, which count half. Below leastLike a word has no counterpart.
			if score := l[1] + float32(.5*max(l[2], 0)); score > top[v] && score > leastLike {
				top[v], r.bestAt[v] = score, i
			}
		}
	}
}

// leastLike is the score below which no word of the question counts as the best for a word of vocab.
const leastLike = .3

// same reports whether a word of the question and a word of vocab, by their positions, are forms of one
// word.
func (r *reading) same(word, vocab int) bool { return r.likenesses[word][vocab].same() }

// longestRun returns the longest run of words of an item's name that the question has.
func (r *reading) longestRun(i int) run {
	var best run
	words := r.items[i].words
	for a := range words {
		for at := range r.question.words {
			n := 0 // words from a of the name on that are those from at of the question on
			for a+n < len(words) && at+n < len(r.question.words) && r.same(at+n, words[a+n]) {
				n++
			}
			if n > best.words {
				best = run{at, n}
			}
		}
	}
	return best
}

// weight returns how much a word of vocab counts in a name: a word such as "of" counts little.
func (r *reading) weight(vocab int) float32 {
	if namepair.Stop(r.vocab[vocab]) {
		return .1
	}
	return 1
}

// nameFeatures sets the features of how well the question matches the name of item i: for each measure of
// likeness its mean, maximum and minimum over the words of the name, its value for the last word and its mean over
// the words that the table's name lacks; then how much of the name the question has.
func (r *reading) nameFeatures(i int) {
	f, it := r.row(i), &r.items[i]
	if len(it.words) == 0 {
		return
	}
	var all, own, rare, rareFound float32 // sums of weights: of all words, of own ones, by rarity, and of those by rarity that the question has
	for k := range kinds {
		f[leastOf+k] = 1
	}
	for j, v := range it.words {
		w, b := r.weight(v), r.bestOf[v]
		all += w
		if it.own[j] {
			own += w
		}
		rareness := w / float32(r.holders[v]) // less for a word that many names have
		rare += rareness
		rareFound += float32(rareness * b[0]) // b[0] is 1 for a form of the same word
		for k, x := range b {
			f[meanOf+k] += float32(w * x)
			f[maxOf+k] = max(f[maxOf+k], w*x)
			f[leastOf+k] = min(f[leastOf+k], x)
			if it.own[j] {
				f[ownOf+k] += float32(w * x)
			}
		}
	}
	last := r.bestOf[it.words[len(it.words)-1]]
	copy(f[headOf:], last[:])
	for k := range kinds {
		f[meanOf+k] /= all
		f[ownOf+k] /= own
	}
	n := r.runs[i].words
	f[wholeName], f[runShare], f[runWords] = bit(n == len(it.words)), float32(n)/float32(len(it.words)), float32(n)/4
	f[rarity] = rareFound / rare
}

// rivalFeatures sets the features that compare the run of item i with the runs of the other tables, or
// of the other columns, over the same words of the question.
func (r *reading) rivalFeatures(i int) {
	own, f := r.runs[i], r.row(i)
	if own.words == 0 {
		return
	}
	same := 0
	for j, other := range r.runs {
		sameKind := (r.items[i].column < 0) == (r.items[j].column < 0)
		overlaps := other.start < own.start+own.words && own.start < other.start+other.words
		if !sameKind || other.words == 0 || !overlaps {
			continue
		}
		// The longer run is the better match; between runs of one length, the shorter name is.
		switch cmp.Or(cmp.Compare(other.words, own.words), cmp.Compare(len(r.items[i].words), len(r.items[j].words))) {
		case 1:
			f[outdone] = 1
		case 0:
			same++
		}
	}
	f[rivals] = 1 / float32(max(1, same))
}

// position returns the position of the question's word that matches the name of item i best: the start of
// its run, else the counterpart of its last word that has one; -1 for none.
func (r *reading) position(i int) int {
	if r.runs[i].words > 0 {
		return r.runs[i].start
	}
	words := r.items[i].words
	for j := len(words) - 1; j >= 0; j-- {
		if p := r.bestAt[words[j]]; p >= 0 {
			return p
		}
	}
	return -1
}

// positionFeatures sets the features of item i that do not depend on the question, those of the question
// alone, and where the question mentions the item and its table.
func (r *reading) positionFeatures(i int) {
	f, it := r.row(i), &r.items[i]
	copy(f[dynamicDim:], it.static[:])
	f[hasQuote], f[questionLength] = bit(r.question.quotes), float32(len(r.question.words))/20
	for _, w := range r.question.words {
		f[asksNumber] = max(f[asksNumber], bit(english.IsNumeric(w)))
	}
	p := r.position(i)
	if p < 0 {
		return
	}
	f[place] = .2 + float32(p)/float32(len(r.question.words)) // 0 is for no mention
	if it.column < 0 {
		return // the rest compares a column with its table
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

// gapFeatures sets how far the likeness of each item is above the best of the other columns of its table,
// of all other columns, or of all other tables.
func (r *reading) gapFeatures() {
	for t := range r.tables {
		start, end := r.columns(t)
		r.setGaps(start, end, gapTable)
	}
	r.setGaps(0, r.tables, gapAll)
	r.setGaps(r.tables, len(r.items), gapAll)
}

// setGaps sets for each item from start to before end by how much its mean likeness exceeds the highest
// of the others. The gaps are stored from feature on, one for each measure of likeness.
func (r *reading) setGaps(start, end, feature int) {
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
			others := first // the highest of the other items
			if x == first { // it is the highest itself; with a tie, second equals first
				others = second
			}
			r.row(i)[feature+k] = x - others
		}
	}
}

// neighbourFeatures sets the features that an item gets from others: a table from its columns, a column
// from its table, and both from what foreign keys join them with.
func (r *reading) neighbourFeatures() {
	for t := range r.tables {
		f := r.row(t)
		start, end := r.columns(t)
		for i := start; i < end; i++ {
			f[mentioned] += float32(.2 * r.row(i)[wholeName]) // .2 brings the count into the range of the other features
			for k := range kinds {
				f[parentOf+k] = max(f[parentOf+k], r.row(i)[meanOf+k])
			}
		}
		for i := start; i < end; i++ {
			g := r.row(i)
			copy(g[parentOf:parentOf+kinds], f[meanOf:])
			g[mentioned] = f[mentioned]
		}
		for _, u := range r.joined[t] {
			r.takePartner(t, u)
		}
	}
	for c, partners := range r.partners {
		for _, p := range partners {
			r.takePartner(r.tables+c, r.items[r.tables+p].table)
		}
	}
}

// takePartner raises the partner features of item i to the likeness of a table that a foreign key joins
// it with.
func (r *reading) takePartner(i, table int) {
	for k := range kinds {
		x := &r.row(i)[partnerOf+k]
		*x = max(*x, r.row(table)[meanOf+k])
	}
}

// cellFeatures looks for runs of words of the question that are cells, sets the features of the columns
// that have them, and passes these features on to tables and back to all their columns.
func (r *reading) cellFeatures() {
	if r.cells == nil {
		return
	}
	for start := range r.question.words {
		r.findCells(start)
	}
	for c := range r.items[r.tables:] { // a table has the strongest features of its columns
		f := r.row(r.tables + c)
		t := r.row(r.items[r.tables+c].table)
		t[value], t[valueWords], t[valueShare] = max(t[value], f[value]), max(t[valueWords], f[valueWords]), max(t[valueShare], f[valueShare])
		t[number], t[numberShare] = max(t[number], f[number]), max(t[numberShare], f[numberShare])
	}
	for c := range r.items[r.tables:] {
		t := r.row(r.items[r.tables+c].table)
		// A number in the question is weaker evidence than a text: it may be a cell of many columns.
		r.row(r.tables + c)[tableValue] = max(t[value]*t[valueShare], .3*t[number]*t[numberShare])
	}
}

// findCells sets the features of the columns that have cells of the question's words from start on, and of those whose
// numbers range over the word at start.
func (r *reading) findCells(start int) {
	for n := min(maxCellWords, len(r.question.words)-start); n > 0; n-- {
		text := strings.Join(r.question.words[start:start+n], " ")
		if n == 1 && english.IsFunction(text) { // "the" alone mentions no cell
			continue
		}
		columns := r.cells.find(text)
		if len(columns) == 0 && n == 1 { // "dogs" for the cell "dog"
			columns = r.cells.find(r.question.lemmas[start])
		}
		r.addCellFeatures(columns, n, n == 1 && english.IsNumeric(text))
	}
	x, err := strconv.ParseFloat(r.question.words[start], 64)
	if err != nil {
		return
	}
	for c, span := range r.cells.ranges {
		if span.holds(x) {
			r.row(r.tables + c)[inRange] = 1
		}
	}
}

// addCellFeatures sets the features of columns that have a cell which the question mentions. words is the
// length of the mention; numeric reports whether it is a number, which is weaker evidence.
func (r *reading) addCellFeatures(columns []int32, words int, numeric bool) {
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
