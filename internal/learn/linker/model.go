package linker

import (
	"math"
	"sync"

	"github.com/tabperturb/tabperturb/internal/kit/decimal"
)

// Threshold is the probability from which on an item is predicted as used.
const Threshold = .5

// Model is a trained linker. It is safe for concurrent use.
type Model struct {
	*vocabulary
	nets   []*net
	passes sync.Pool
	// Card describes in Markdown what the linker was made from.
	Card string
}

// Score returns the probability, of four digits, that the gold SQL of an example uses each item of its
// schema: tables, then columns.
func (m *Model) Score(ex *Example) []float32 {
	p, _ := m.passes.Get().(*pass)
	if p == nil {
		p = &pass{}
	}
	defer m.passes.Put(p)
	in := m.sampleOf(ex, m.itemWords(ex.structure))
	out := make([]float32, len(in.schema.tableOf))
	for _, n := range m.nets {
		n.forward(p, []*sample{in})
		for i := range out {
			k, row := p.groups[0].row(i) // its kind, 0 for a table and 1 for a column, and its row among these
			out[i] += float32(1/(1+math.Exp(-float64(p.logits[k].Data[row])))) / float32(len(m.nets))
		}
	}
	for i := range out {
		out[i] = float32(decimal.Round(float64(out[i])))
	}
	return out
}
