package suite

import (
	"bufio"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Curve returns how many neighbours are left after each number of random databases,
// from 0 to the number tried (figure 5). At 0 only the data set's own content has
// been tried, unless it is large (see [Point]).
func (m *Manifest) Curve() []int {
	left := make([]int, m.Tried+1)
	for _, s := range m.Schemas {
		for i, p := range s.Curve {
			end := len(left)
			if i+1 < len(s.Curve) {
				end = s.Curve[i+1].Tried
			}
			for t := p.Tried; t < end; t++ {
				left[t] += p.Left
			}
		}
	}
	return left
}

// writeCurve writes the curve as a table and as a picture.
func (m *Manifest) writeCurve(tsv, svg string) error {
	curve := m.Curve()
	err := outdir.WriteFile(tsv, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintln(b, "tried\tleft\tshare")
		for t, left := range curve {
			fmt.Fprintf(b, "%d\t%d\t%.6f\n", t, left, stats.Ratio(left, m.Neighbours))
		}
		return b.Flush()
	})
	if err != nil {
		return err
	}
	return outdir.WriteFile(svg, func(w io.Writer) error { return m.drawCurve(w, curve) })
}

// drawCurve draws the curve as figure 5 does, with a logarithmic axis of shares.
func (m *Manifest) drawCurve(w io.Writer, curve []int) error {
	p := plot.New()
	p.X.Label.Text = "random databases tried"
	p.Y.Label.Text = "neighbours left, %"
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	points := make(plotter.XYs, 0, len(curve))
	for t, left := range curve {
		// Zero has no logarithm.
		if percent := 100 * stats.Ratio(left, m.Neighbours); percent > 0 {
			points = append(points, plotter.XY{X: float64(t), Y: percent})
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(max(m.Tried, 1)), 0.1, 100
	if len(points) > 0 {
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.StepStyle = plotter.PostStep
		line.Color = color.RGBA{R: 0x1f, G: 0x4e, B: 0x9c, A: 0xff}
		p.Add(line)
		p.Y.Min = math.Pow(10, math.Floor(math.Log10(points[len(points)-1].Y))) // the power of ten below the last, least share
	}
	p.Add(plotter.NewGrid())
	canvas := vgsvg.New(15*vg.Centimeter, 9*vg.Centimeter)
	p.Draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}
