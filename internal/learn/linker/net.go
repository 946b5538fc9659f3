package linker

import (
	"math/rand/v2"

	"github.com/tabperturb/tabperturb/internal/learn/dense"
)

// Widths of the network.
const (
	embedded = 16 // of the embedding of a word
	hidden   = 48 // of the state of an item
	rounds   = 2  // of message passing between items
	slots    = 5  // states that an item receives in a round, its own included
	inputDim = Dim + 3*embedded + 2
)

// net is the network, or a gradient of the same layout. A layer computes the state of an item from its
// features. In each round an item receives states of others: a table those of its columns, of the tables
// that it joins and of all tables; a column those of its table, of that table's columns, of the tables of
// the columns that it joins, and of all columns. A last layer computes the logit that the gold SQL uses
// the item. Tables and columns have different layers.
type net struct {
	params   []float32
	question []float32 // embeddings of the words of questions, a row each; the first row is for unknown words
	names    []float32 // the same for the words of names
	kinds    [2]layers // for tables, for columns
}

// layers are the layers for tables, or for columns.
type layers struct {
	first  dense.Layer
	rounds [rounds]dense.Layer
	logit  dense.Layer
}

// shapes returns the layers with their widths, in the order of their weights. A layer of a round reads the states in the slots of an
// item, its own included.
func (l *layers) shapes() []dense.Shape {
	shapes := []dense.Shape{{Layer: &l.first, In: inputDim, Out: hidden}}
	for r := range l.rounds {
		shapes = append(shapes, dense.Shape{Layer: &l.rounds[r], In: slots * hidden, Out: hidden})
	}
	return append(shapes, dense.Shape{Layer: &l.logit, In: hidden, Out: 1})
}

// newNet returns a network of zeros for vocabularies of these sizes.
func newNet(questionWords, nameWords int) *net {
	n := &net{}
	shapes := append(n.kinds[0].shapes(), n.kinds[1].shapes()...)
	n.params = make([]float32, netSize(questionWords, nameWords))
	rest := dense.Lay(n.params, shapes)
	n.question, n.names = rest[:questionWords*embedded], rest[questionWords*embedded:]
	return n
}

// netSize returns the number of weights of a network.
func netSize(questionWords, nameWords int) int {
	var n net
	return dense.Size(append(n.kinds[0].shapes(), n.kinds[1].shapes()...)) + (questionWords+nameWords)*embedded
}

// randomize sets the weights to random ones from which training starts. The embeddings of unknown words
// stay 0.
func (n *net) randomize(rng *rand.Rand) {
	for _, s := range append(n.kinds[0].shapes(), n.kinds[1].shapes()...) {
		s.Layer.Randomize(rng)
	}
	for _, table := range [][]float32{n.question, n.names} {
		for i := range table[embedded:] {
			table[embedded+i] = float32(.3 * rng.NormFloat64())
		}
	}
}

// sample is a question as the network reads it.
type sample struct {
	schema   *structure
	features sparse
	words    []int32   // of the question, by their numbers in the vocabulary
	names    [][]int32 // by item: the words of its name, by their numbers
	gold     []bool    // by item: whether the gold SQL uses it; nil if that is not known
	weight   float32   // of its loss
}

// structure is the part of a schema that the network reads. It is all that is kept of a perturbed schema
// while a linker is trained: there are as many of these as examples.
//
// Items are the tables and then the columns, by their number from 0; columns are also numbered from 0
// by themselves.
type structure struct {
	original string     // the id of the database that this one was perturbed from
	tables   int        // number of tables
	tableOf  []int32    // by item: its table
	lemmas   [][]string // by item: the lemmas of its name
	first    []int      // by table: the item of its first column
	partners [][]int    // by column: the columns that foreign keys join it with
	joined   [][]int    // by table: the tables that foreign keys join it with
}

// columns returns the items of the columns of a table: from start to before end.
func (s *structure) columns(table int) (start, end int) {
	if table+1 < len(s.first) {
		return s.first[table], s.first[table+1]
	}
	return s.first[table], len(s.tableOf)
}

// group has the rows of a batch that belong to one question. Tables and columns of all questions are rows
// of two matrices.
type group struct {
	sample         *sample
	tables, column int // rows of its first table and its first column
}

// pass holds the matrices of a forward pass, for the backward pass; the next pass reuses their memory.
// Pairs are for tables and for columns.
type pass struct {
	groups   []group
	x        [2]dense.Matrix             // inputs
	h        [rounds + 1][2]dense.Matrix // states before the first round and after each
	m        [rounds][2]dense.Matrix     // states that items receive, by slot
	from     [rounds][2][]int32          // by element of m: the row of h from which it was taken; -1 for none
	logits   [2]dense.Matrix
	means    dense.Matrix    // by question: the mean embedding of its words
	bestWord [2][]int32      // by item: the word of the question whose embedding fits its name best
	keep     func([]float32) // fills a mask of dropout; nil for none
	mask     [2][]float32    // factors of the states before the first round

	// Gradients by x, by h after the current round and before it, and by m.
	dx, dh, dnext [2]dense.Matrix
	dm            dense.Matrix
	transposes    dense.Transposes
}

// forward computes the logits of a batch, and stores in p what [net.backward] needs.
func (n *net) forward(p *pass, batch []*sample) {
	n.load(p, batch)
	for k := range n.kinds {
		n.kinds[k].first.Forward(&p.h[0][k], p.x[k])
		p.h[0][k].Relu()
		if p.keep != nil { // dropout
			p.mask[k] = dense.Sized(p.mask[k], len(p.h[0][k].Data))
			p.keep(p.mask[k])
			multiply(p.h[0][k].Data, p.mask[k])
		}
	}
	for r := range rounds {
		p.gather(r)
		for k := range n.kinds {
			n.kinds[k].rounds[r].Forward(&p.h[r+1][k], p.m[r][k])
			p.h[r+1][k].Relu()
		}
	}
	for k := range n.kinds {
		n.kinds[k].logit.Forward(&p.logits[k], p.h[rounds][k])
	}
}

// multiply multiplies x by the elements of by, in place.
func multiply(x, by []float32) {
	for i := range x {
		x[i] *= by[i]
	}
}

// load writes the inputs of a batch to the rows of p.
func (n *net) load(p *pass, batch []*sample) {
	p.groups = p.groups[:0]
	var rows [2]int
	for _, s := range batch {
		p.groups = append(p.groups, group{s, rows[0], rows[1]})
		rows[0] += s.schema.tables
		rows[1] += len(s.schema.tableOf) - s.schema.tables
	}
	for k := range p.x {
		p.x[k].Resize(rows[k], inputDim)
		p.bestWord[k] = dense.Sized(p.bestWord[k], rows[k])
	}
	p.means.Zero(len(batch), embedded)
	for g, group := range p.groups {
		mean := p.means.Row(g)
		n.mean(mean, n.question, group.sample.words)
		at := 0 // of the item's first value among the packed features
		for i := range group.sample.schema.tableOf {
			k, row := group.row(i) // its kind, 0 for a table and 1 for a column, and its row among these
			at = group.sample.features.unpack(p.x[k].Row(row), i, at)
			p.bestWord[k][row] = n.input(p.x[k].Row(row), group.sample, i, mean)
		}
	}
}

// row returns the kind of item i, 0 for a table and 1 for a column, and its row in the matrices of that kind.
func (g *group) row(i int) (kind, row int) {
	if t := g.sample.schema.tables; i >= t {
		return 1, g.column + i - t
	}
	return 0, g.tables + i
}

// mean sets dst to the mean embedding of words, whose embeddings are rows of table; 0 if there are none.
func (n *net) mean(dst, table []float32, words []int32) {
	clear(dst)
	for _, w := range words {
		dense.Axpy(dst, 1/float32(len(words)), table[int(w)*embedded:][:embedded])
	}
}

// input completes the input x of item i after its features, by: the mean embedding of its name; its product with question, the mean
// embedding of the question; question; the dot product of the name with the word of the question that fits best; and 1 if the item has a
// name. It returns that word, -1 for none.
func (n *net) input(x []float32, s *sample, i int, question []float32) (best int32) {
	name, both := x[Dim:Dim+embedded], x[Dim+embedded:Dim+2*embedded]
	n.mean(name, n.names, s.names[i])
	for k := range both {
		both[k] = 4 * name[k] * question[k] // 4 brings the product into the range of the others
	}
	copy(x[Dim+2*embedded:], question)
	best = -1
	var top float32
	for _, w := range s.words {
		if d := dot(n.question[int(w)*embedded:][:embedded], name); best < 0 || d > top {
			best, top = w, d
		}
	}
	x[Dim+3*embedded] = top
	x[Dim+3*embedded+1] = bit(s.names[i] != nil)
	return best
}

// dot returns the inner product of two vectors.
func dot(a, b []float32) (sum float32) {
	for i, x := range a {
		sum += float32(x * b[i])
	}
	return sum
}

// The slots of a table. Each holds, by component, the largest of the states that the table receives from its source.
const (
	tableOwn          = iota // its own state
	tableColumns             // its columns
	tableJoined              // the tables that keys join it with
	tableSecondJoined        // these tables again: the second largest
	tableAll                 // all tables
)

// The slots of a column.
const (
	columnOwn      = iota // its own state
	columnTable           // its table
	columnSiblings        // the columns of its table
	columnJoined          // the tables that its keys join it with
	columnAll             // all columns
)

// gather fills the slots of all items in round r.
func (p *pass) gather(r int) {
	for k := range p.m[r] {
		p.m[r][k].Zero(p.h[r][k].Rows, slots*hidden)
		p.from[r][k] = dense.Sized(p.from[r][k], len(p.m[r][k].Data))
		for i := range p.from[r][k] {
			p.from[r][k][i] = -1 // taken from no item yet
		}
	}
	for _, g := range p.groups {
		for t := range g.sample.schema.tables {
			p.gatherTable(r, g, t)
		}
		for c := range g.sample.schema.partners {
			p.gatherColumn(r, g, c)
		}
	}
}

// gatherTable fills the slots of table t of a group in round r.
func (p *pass) gatherTable(r int, g group, t int) {
	s, row := g.sample.schema, g.tables+t
	tables, columns := p.h[r][0], p.h[r][1]
	p.slot(r, 0, row, tableOwn).takeMax(tables, row)
	start, end := s.columns(t)
	best := p.slot(r, 0, row, tableColumns)
	for i := start; i < end; i++ {
		best.takeMax(columns, g.column+i-s.tables)
	}
	joined := p.slot(r, 0, row, tableJoined)
	for _, u := range s.joined[t] {
		joined.takeMax(tables, g.tables+u)
	}
	p.slot(r, 0, row, tableSecondJoined).takeSecond(tables, g.tables, s.joined[t], joined)
	all := p.slot(r, 0, row, tableAll)
	if t > 0 { // the same for all tables: the first has it
		all.copy(p.slot(r, 0, g.tables, tableAll))
		return
	}
	for u := range s.tables {
		all.takeMax(tables, g.tables+u)
	}
}

// gatherColumn fills the slots of column c of a group in round r. The slots of the tables are filled before: that of
// siblings is a copy of the table's slot for its columns.
func (p *pass) gatherColumn(r int, g group, c int) {
	s, row := g.sample.schema, g.column+c
	tables, columns := p.h[r][0], p.h[r][1]
	tableRow := func(c int) int { return g.tables + int(s.tableOf[s.tables+c]) }
	p.slot(r, 1, row, columnOwn).takeMax(columns, row)
	p.slot(r, 1, row, columnTable).takeMax(tables, tableRow(c))
	p.slot(r, 1, row, columnSiblings).copy(p.slot(r, 0, tableRow(c), tableColumns))
	joined := p.slot(r, 1, row, columnJoined)
	for _, u := range s.partners[c] {
		joined.takeMax(tables, tableRow(u))
	}
	all := p.slot(r, 1, row, columnAll)
	if c > 0 { // the same for all columns: the first has it
		all.copy(p.slot(r, 1, g.column, columnAll))
		return
	}
	for u := range s.partners {
		all.takeMax(columns, g.column+u)
	}
}

// slot is a state that an item receives: by component, the maximum over several states.
type slot struct {
	x    []float32 // the state
	from []int32   // by component: the row from which it was taken; -1 for none yet
}

// slot returns slot number at of a row of tables (kind 0) or columns (kind 1) in a round.
func (p *pass) slot(round, kind, row, at int) slot {
	first := (row*slots + at) * hidden
	return slot{p.m[round][kind].Data[first : first+hidden], p.from[round][kind][first : first+hidden]}
}

// takeMax raises the components of the slot to those of a row of m where these are greater, and notes the row in from. A
// component that was taken from no row yet (-1) is set.
func (s slot) takeMax(m dense.Matrix, row int) {
	for k, x := range m.Row(row) {
		if s.from[k] < 0 || x > s.x[k] {
			s.x[k], s.from[k] = x, int32(row)
		}
	}
}

// takeSecond sets each component of the slot to the second highest among tables, whose rows of m begin at first; greatest
// holds the highest, taken from the same tables.
func (s slot) takeSecond(m dense.Matrix, first int, tables []int, greatest slot) {
	for _, t := range tables {
		row := first + t
		for k, x := range m.Row(row) {
			if int(greatest.from[k]) != row && (s.from[k] < 0 || x > s.x[k]) {
				s.x[k], s.from[k] = x, int32(row)
			}
		}
	}
}

// copy sets the slot to another.
func (s slot) copy(o slot) {
	copy(s.x, o.x)
	copy(s.from, o.from)
}

// sources has, by the kind of an item and its slot, the kind of the items whose states it receives there.
var sources = [2][slots]int{{0, 1, 0, 0, 0}, {1, 0, 1, 0, 1}}
