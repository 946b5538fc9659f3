package compact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/internal/learn/nli/knowledge"
	"github.com/tabperturb/tabperturb/internal/learn/nli/net"
)

// magic opens a weights file: name and version of the format. The rest is packed:
//
//	the knowledge, the calibration, the number of networks and their weights.
const magic = "tpnli03\n"

// Bounds on a weights file.
const (
	maxInflated = 16 << 20
	maxNetworks = 16
)

// Weights are the result of training, as a weights file stores it.
type Weights struct {
	Knowledge knowledge.Data
	// Scale and Bias calibrate: the logit of entailment against the rest becomes
	// Scale·logit + Bias.
	Scale, Bias float64
	Networks    []*net.Net // their log-probabilities are averaged
}

// Encode returns w as a weights file. The same weights give the same bytes.
func (w *Weights) Encode() ([]byte, error) {
	body := w.Knowledge.Append(nil)
	for _, x := range []float64{w.Scale, w.Bias} {
		body = binary.LittleEndian.AppendUint64(body, math.Float64bits(x))
	}
	body = append(body, byte(len(w.Networks)))
	for _, n := range w.Networks {
		body = n.Append(body)
	}
	small, err := packed.Pack(body)
	return append([]byte(magic), small...), err
}

// DecodeWeights decodes and checks a weights file.
func DecodeWeights(data []byte) (*Weights, error) {
	small, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, fmt.Errorf("weights: not a weights file, expected %q first", magic)
	}
	body, err := packed.Unpack(small, maxInflated)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	w := &Weights{}
	if w.Knowledge, body, err = knowledge.Decode(body); err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	if len(body) < 17 { // two numbers of 8 bytes and the number of networks
		return nil, fmt.Errorf("weights: ends before the calibration")
	}
	w.Scale = math.Float64frombits(binary.LittleEndian.Uint64(body))
	w.Bias = math.Float64frombits(binary.LittleEndian.Uint64(body[8:]))
	if !(w.Scale > 0 && w.Scale < 100 && math.Abs(w.Bias) < 100) {
		return nil, fmt.Errorf("weights: calibration %v, %v, expected 0 < scale < 100 and |bias| < 100", w.Scale, w.Bias)
	}
	networks := int(body[16])
	if networks < 1 || networks > maxNetworks {
		return nil, fmt.Errorf("weights: %d networks, expected 1 to %d", networks, maxNetworks)
	}
	body = body[17:]
	for range networks {
		var n *net.Net
		if n, body, err = net.Decode(body); err != nil {
			return nil, fmt.Errorf("weights: %w", err)
		}
		w.Networks = append(w.Networks, n)
	}
	if len(body) > 0 {
		return nil, fmt.Errorf("weights: %d bytes after the last network", len(body))
	}
	return w, nil
}
