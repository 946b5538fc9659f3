//go:build quality && scale

package quality

import (
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// scaleRow is a row of docs/scale.md: a command, a size, and the processor time.
var scaleRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([\d,]+) (examples|predictions|tables) \| ([\d,.]+) s \|`)

// TestScalePlot draws docs/scale.svg from the table in docs/scale.md: processor time over
// size, both logarithmic, a line a command.
func TestScalePlot(t *testing.T) {
	docs := filepath.Join("..", "..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]plotter.XYs{}
	var names []string
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, row := range scaleRow.FindAllStringSubmatch(string(page), -1) {
		name := row[1] + ", " + row[3]
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		lines[name] = append(lines[name], plotter.XY{X: number(row[2]), Y: number(row[4])})
	}
	if len(names) == 0 {
		t.Fatal("docs/scale.md has no rows that are measured")
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "size", "processor time, s"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	colors := []color.RGBA{{0x1f, 0x4e, 0x9c, 0xff}, {0xb3, 0x3a, 0x2b, 0xff}, {0x2e, 0x7d, 0x32, 0xff}, {0x8e, 0x5a, 0x00, 0xff}, {0x5e, 0x35, 0xb1, 0xff}}
	for i, name := range names {
		line, points, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			t.Fatal(err)
		}
		line.Color, points.Color = colors[i%len(colors)], colors[i%len(colors)]
		p.Add(line, points)
		p.Legend.Add(name, line)
	}
	p.Y.Max *= 8 // room for the names
	canvas := vgsvg.New(16*vg.Centimeter, 11*vg.Centimeter)
	p.Draw(draw.New(canvas))
	f, err := os.Create(filepath.Join(docs, "scale.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := canvas.WriteTo(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
