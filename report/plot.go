package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/tabperturb/tabperturb/evaluate/stats"
	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// Sizes of a plot.
const (
	plotWidth   = 430 * vg.Length(1)
	curveHeight = 200 * vg.Length(1)
	rowHeight   = 15 * vg.Length(1)
	axisHeight  = 42 * vg.Length(1)
	fontSize    = 9
	labelRunes  = 40 // of a line of a row's label
	labelLines  = 4  // of a row's label
	lineHeight  = 11 * vg.Length(1)
)

// The colours of a plot are placeholders for variables of the page's style, so that it follows dark
// and light. [styled] replaces them: the last byte identifies the variable.
var (
	ink    = color.RGBA{1, 2, 1, 255}
	faint  = color.RGBA{1, 2, 2, 255}
	series = []color.RGBA{{1, 2, 11, 255}, {1, 2, 12, 255}, {1, 2, 13, 255}, {1, 2, 14, 255}, {1, 2, 15, 255}, {1, 2, 16, 255}, {1, 2, 17, 255}}
)

// hue returns the colour of series i and its variable's number, from 1.
func hue(i int) (color.RGBA, int) { return series[i%len(series)], i%len(series) + 1 }

// svg draws the plot as an element svg for a page: without the header of a file, but with title and description, whose ids begin with
// id.
func (p *Plot) svg(id string) (string, error) {
	height := curveHeight
	if p.Kind != Steps {
		height = (rowHeight+lineHeight*vg.Length(p.furtherLines()))*vg.Length(max(len(p.Labels), 1)) + axisHeight
	}
	canvas := vgsvg.New(plotWidth, height)
	p.plot().Draw(draw.Crop(draw.New(canvas), 0, -8, 0, 0)) // 8 points free at the right, for half of the last label of the axis
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	s := b.String() // its header and the beginning of its element are replaced by head
	begin := strings.Index(s, "<svg")
	end := strings.Index(s[max(begin, 0):], ">")
	if min(begin, end) < 0 {
		return "", fmt.Errorf("plot %s is drawn without an element svg", id)
	}
	head := fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" aria-labelledby="%s-t %s-d"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
		plotWidth.Points(), height.Points(), id, id, id, html.EscapeString(p.Title), id, html.EscapeString(p.Desc))
	return head + styled(s[begin+end+1:]), nil
}

// What styled removes or replaces: line breaks with their indentation, the styles of fonts, and the
// colours that stand for variables.
var (
	lineBreak    = lazyregexp.New(`\s*\n\s*`)
	fontStyle    = lazyregexp.New(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:[^;"]*;font-style:[^;"]*;`)
	placeholder  = lazyregexp.New(`#0102([0-9A-F]{2})`)
	textElements = lazyregexp.New(`<text [^>]*>[^<]+</text>`)
)

// fitted returns a text element of the drawing with the width that it was measured with: the fonts of a page may be wider.
func fitted(element string) string {
	head, rest, _ := strings.Cut(element, ">")
	label := html.UnescapeString(strings.TrimSuffix(rest, "</text>"))
	width := style(text.Style{Handler: plot.DefaultTextHandler}).Width(label)
	return fmt.Sprintf(`%s textLength="%.4g" lengthAdjust="spacingAndGlyphs">%s`, head, width.Points(), rest)
}

// styled replaces the placeholder colours of the drawing by variables of the page's style: "#010201" by "var(--ink)". It drops line breaks
// and the styles of fonts, which the page sets, and fixes the widths of texts.
func styled(s string) string {
	s = textElements.ReplaceAllStringFunc(fontStyle.ReplaceAllString(lineBreak.ReplaceAllString(s, " "), ""), fitted)
	return strings.TrimSpace(placeholder.ReplaceAllStringFunc(s, func(colour string) string {
		n, _ := strconv.ParseUint(colour[len("#0102"):], 16, 8) // the last byte
		switch {
		case n == uint64(ink.B):
			return "var(--ink)"
		case n == uint64(faint.B):
			return "var(--line)"
		}
		return fmt.Sprintf("var(--c%d)", n-uint64(series[0].B)+1)
	}))
}

// plot returns the library's plot, with its axes and marks. Of bars and dots, the label i is at height len(p.Labels)-1-i, so that the
// first is at the top.
func (p *Plot) plot() *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		a.Color, a.Tick.Color = ink, ink
		a.Width, a.Tick.Width, a.Tick.Length = 0.6, 0.6, 4
		a.Label.TextStyle = style(a.Label.TextStyle)
		a.Tick.Label = style(a.Tick.Label)
		a.Label.Padding = 3
	}
	if p.Kind == Steps {
		p.setUpSteps(g)
		return g
	}
	lo, hi := p.bounds()
	g.X.Min, g.X.Max = lo, hi
	g.X.Label.Text = p.Axis
	g.X.Tick.Marker = ticks(p.showsPercent())
	g.Y.Min, g.Y.Max = -0.6, float64(len(p.Labels))-0.4 // half a row and a margin beyond the first and the last label
	g.Y.Width, g.Y.Tick.Length, g.Y.Padding = 0, 0, 2
	var names plot.ConstantTicks
	for i, l := range p.Labels {
		names = append(names, plot.Tick{Value: float64(len(p.Labels) - 1 - i), Label: strings.Join(wrapped(l), "\n")})
	}
	g.Y.Tick.Marker = names
	g.Add(marks{p})
	return g
}

// furtherLines returns how many lines the longest label of a row has after its first.
func (p *Plot) furtherLines() (n int) {
	for _, l := range p.Labels {
		n = max(n, len(wrapped(l))-1)
	}
	return n
}

// wrapped returns the lines of a row's label, broken between words. A word that is too long for a line is cut.
func wrapped(label string) []string {
	var lines []string
	for _, word := range strings.Fields(clean(label, labelLines*labelRunes)) {
		if n := len(lines); n > 0 && utf8.RuneCountInString(lines[n-1]+" "+word) <= labelRunes {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, clean(word, labelRunes))
	}
	return lines
}

// style returns a style of labels in the font and colour of the page.
func style(s text.Style) text.Style {
	s.Color = ink
	s.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: fontSize}
	return s
}

// showsPercent reports whether the axis shows shares in percent or percentage points.
func (p *Plot) showsPercent() bool {
	return strings.HasSuffix(p.Axis, "%") || strings.HasSuffix(p.Axis, "points")
}

// maxValue bounds the values of a plot on both sides of zero.
const maxValue = 1e12

// drawable reports whether the plot has rows, at most maxPlotRows, and no value beyond maxValue.
func (p *Plot) drawable() bool {
	for _, s := range p.Series {
		for _, point := range s.Points {
			for _, v := range []stats.Number{point.Value, point.Low, point.High} {
				if v.Defined() && !(v >= -maxValue && v <= maxValue) {
					return false
				}
			}
		}
	}
	return len(p.Series) > 0 && len(p.Labels) > 0 && len(p.Labels) <= maxPlotRows
}

// isFarFromZero reports whether values between lo and hi are more than twice their range away
// from 0. A range that is only rounding does not count.
func isFarFromZero(lo, hi float64) bool {
	far := lo > 2*(hi-lo) || hi < 2*(lo-hi)
	return far && hi-lo > 1e-6*max(hi, -lo)
}

// bounds returns the ends of the axis of values. It includes 0, unless all dots are far from it.
func (p *Plot) bounds() (lo, hi float64) {
	stacked := make([]float64, len(p.Labels))
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for i, point := range s.Points {
			for _, v := range []float64{float64(point.Value), float64(point.Low), float64(point.High)} {
				if !math.IsNaN(v) {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
			if p.Kind == Bars && point.Value.Defined() {
				stacked[i] += float64(point.Value)
				hi = max(hi, stacked[i])
			}
		}
	}
	switch {
	case lo > hi: // there is no figure
		return 0, 1
	case p.Kind == Dots && isFarFromZero(lo, hi):
		margin := 0.1 * (hi - lo)
		return lo - margin, hi + margin
	}
	lo, hi = min(lo, 0), max(hi, 0)
	if hi-lo < 1e-12 { // all figures are 0
		hi = lo + 1
	}
	margin := 0.03 * (hi - lo)
	if lo < 0 { // bars that begin at 0 touch the axis
		lo -= margin
	}
	return lo, hi + margin
}

// ticks returns a ticker for up to about six ticks, at multiples of 1, 2 or 5 times a power of ten; with percent, labels are in percent.
// (The ticker of package plot does not end on some ranges.)
func ticks(percent bool) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) (list []plot.Tick) {
		scale := 1.0
		if percent {
			scale = 100
		}
		lo, hi = scale*lo, scale*hi
		power := math.Pow(10, math.Floor(math.Log10((hi-lo)/6)))
		step := power // the largest of 1, 2, 5 and 10 times power that gives up to six steps
		for _, m := range []float64{2, 5, 10} {
			if (hi-lo)/step > 6 {
				step = m * power
			}
		}
		digits := max(0, -int(math.Floor(math.Log10(step))))
		for k := math.Ceil(lo / step); k <= math.Floor(hi/step) && len(list) < 20; k++ {
			v := k * step
			list = append(list, plot.Tick{Value: v / scale, Label: strconv.FormatFloat(v, 'f', digits, 64)})
		}
		return list
	})
}

// marks draws the bars or dots of a plot.
type marks struct{ plot *Plot }

// Plot implements [plot.Plotter]: it draws the grid lines and then a row of bars or dots for each label.
func (m marks) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	for _, t := range g.X.Tick.Marker.Ticks(g.X.Min, g.X.Max) {
		if t.Label != "" && t.Value >= g.X.Min && t.Value <= g.X.Max {
			grid := draw.LineStyle{Color: faint, Width: 0.6}
			if t.Value == 0 {
				grid.Color = ink
			}
			c.StrokeLine2(grid, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for i := range m.plot.Labels {
		row := float64(len(m.plot.Labels) - 1 - i) // the first label is at the top
		if m.plot.Kind == Bars {
			m.drawBars(&c, i, x, y(row))
		} else {
			m.drawDots(&c, i, x, y(row))
		}
	}
}

// point returns the point of a label by its index; false if the series has none or its value is undefined.
func (s *Series) point(label int) (Point, bool) {
	if label >= len(s.Points) {
		return Point{}, false
	}
	return s.Points[label], s.Points[label].Value.Defined()
}

// drawBars draws the bars of a label at height y, stacked in the order of the series. x maps values to the canvas.
func (m marks) drawBars(c *draw.Canvas, label int, x func(float64) vg.Length, y vg.Length) {
	sum := 0.0
	for k, s := range m.plot.Series {
		p, ok := s.point(label)
		if !ok {
			continue
		}
		v := float64(p.Value)
		col, _ := hue(k)
		if v > 0 {
			const half = rowHeight * 0.34
			c.FillPolygon(col, []vg.Point{{X: x(sum), Y: y - half}, {X: x(sum + v), Y: y - half}, {X: x(sum + v), Y: y + half}, {X: x(sum), Y: y + half}})
		}
		sum += v
	}
}

// drawDots draws a dot for each series of a label around the height y, with a small vertical offset. Every second one is a square, so
// that they do not differ by colour alone. A line shows the interval of a value that has one. x maps values to the canvas.
func (m marks) drawDots(c *draw.Canvas, label int, x func(float64) vg.Length, y vg.Length) {
	n := len(m.plot.Series)
	step := min(rowHeight*0.26, rowHeight*0.7/vg.Length(max(n, 1))) // between dots: all lie within 70% of the row
	for k, s := range m.plot.Series {
		p, ok := s.point(label)
		if !ok {
			continue
		}
		col, _ := hue(k)
		at := y + step*(vg.Length(n-1)/2-vg.Length(k))
		if p.Low.Defined() && p.High.Defined() {
			c.StrokeLine2(draw.LineStyle{Color: col, Width: 1.2}, x(float64(p.Low)), at, x(float64(p.High)), at)
		}
		glyph := draw.GlyphStyle{Color: col, Radius: 2.4, Shape: draw.CircleGlyph{}}
		if k%2 == 1 {
			glyph.Shape = draw.BoxGlyph{}
		}
		c.DrawGlyphNoClip(glyph, vg.Point{X: x(float64(p.Value)), Y: at})
	}
}

// leastShare is the lowest end of a logarithmic axis.
const leastShare = 1e-9

// setUpSteps sets the axes of a curve and adds it. The logarithmic axis of shares begins at the power of ten below the lowest share above
// zero, as zero has no logarithm, and ends at 1; its labels are in percent.
func (p *Plot) setUpSteps(g *plot.Plot) {
	g.X.Label.Text, g.Y.Label.Text = strings.Join(p.Labels, ", "), p.Axis
	lowest, last := 1.0, 1.0
	for _, pt := range p.Series[0].Points {
		if pt.Value > 0 {
			lowest = min(lowest, max(float64(pt.Value), leastShare))
		}
		last = max(last, pt.X)
	}
	g.X.Min, g.X.Max = 0, last
	g.X.Tick.Marker = ticks(false)
	// The factor 0.999 makes up for rounding at powers of ten; a lowest share that is a power gets room below it.
	g.Y.Min, g.Y.Max = math.Pow(10, math.Floor(math.Log10(lowest*0.999))), 1
	g.Y.Scale = plot.LogScale{}
	g.Y.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		var list []plot.Tick
		for v := hi; v >= lo*0.999; v /= 10 {
			list = append(list, plot.Tick{Value: max(v, lo), Label: strconv.FormatFloat(100*v, 'g', 3, 64)})
		}
		return list
	})
	g.Add(curve{p})
}

// curve draws steps.
type curve struct{ plot *Plot }

// Plot implements [plot.Plotter]: it draws the grid lines and the curve, up to the first value of zero.
func (v curve) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	for _, t := range g.Y.Tick.Marker.Ticks(g.Y.Min, g.Y.Max) {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.6}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
	var line []vg.Point
	for _, pt := range v.plot.Series[0].Points {
		if !(pt.Value > 0) {
			break
		}
		if n := len(line); n > 0 { // a step: first to the right, then down
			line = append(line, vg.Point{X: x(pt.X), Y: line[n-1].Y})
		}
		line = append(line, vg.Point{X: x(pt.X), Y: y(max(min(float64(pt.Value), 1), leastShare))})
	}
	if len(line) > 1 {
		col, _ := hue(0)
		c.StrokeLines(draw.LineStyle{Color: col, Width: 1.3}, line)
	}
}
