package quality

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/tabperturb/tabperturb/perturb/perturbtest" // has the flag -update
)

// update reports whether golden files are written.
func update() bool { return flag.Lookup("update").Value.String() == "true" }

var (
	mark   = regexp.MustCompile(`<!-- (\S+\.golden): (.+?) -->`)
	marked = regexp.MustCompile(`([-+\d.,%/]+)` + mark.String()) // a figure and its mark
	spaces = regexp.MustCompile(` +`)
	digits = regexp.MustCompile(`\.?\d{4,}`)
)

// TestFigures compares the figures of the documents with golden files. A mark,
// <!-- NAME.golden: PATTERN -->, right behind a figure says that the figure is what
// the regular expression captures in the golden file. A mark on a line of its own
// above a table says that of the cells in each row, from the second one on; there,
// {} in the pattern stands for the first cell. With -update the documents take over
// the figures of the golden files.
func TestFigures(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, path := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "MODELS.md")) {
		d := &document{t: t, path: path}
		d.check()
		held += d.held
	}
	if held == 0 {
		t.Error("no document has a mark")
	}
}

// root is the repository's.
var root = filepath.Join("..", "..", "..")

// document is a page whose figures are compared line by line.
type document struct {
	t     *testing.T
	path  string
	table []string // groups of the mark above the present table; nil outside of one
	rows  int      // read of that table, with its header
	held  int      // marks that hold a figure
}

func (d *document) check() {
	text := readFile(d.t, d.path)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = d.line(line)
		if lines[i] != line && !update() {
			d.t.Errorf("%s:%d: differs from a golden file (-update takes it over):\n%s\nexpected\n%s", d.path, i+1, line, lines[i])
		}
	}
	if marks := len(mark.FindAllString(text, -1)); d.held != marks {
		d.t.Errorf("%s: %d of %d marks stand behind a figure or above a table, expected all", d.path, d.held, marks)
	}
	if update() {
		if err := os.WriteFile(d.path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
}

// line returns the line with the figures of the golden files.
func (d *document) line(line string) string {
	if m := mark.FindStringSubmatch(line); m != nil && m[0] == line {
		d.table, d.rows = m, 0
		return line
	}
	if d.table == nil {
		return marked.ReplaceAllStringFunc(line, d.figure)
	}
	if !strings.HasPrefix(line, "|") {
		d.table = nil
		return line
	}
	d.rows++
	if d.rows <= 2 { // the header and the rule below it
		return line
	}
	return d.row(line)
}

// row returns a row of a table with the cells that the table's mark captures.
func (d *document) row(line string) string {
	if d.rows == 3 { // the first one: a mark counts once
		d.held++
	}
	cells := strings.Split(line, "|")
	key := regexp.QuoteMeta(strings.TrimSpace(cells[1]))
	found := d.capture(d.table[1], strings.ReplaceAll(d.table[2], "{}", key))
	if len(cells) < len(found)+3 { // the first cell, and what stands before the first and behind the last bar
		d.t.Fatalf("%s: %q has fewer cells than the pattern captures, %d", d.path, line, len(found))
	}
	for i, cell := range found {
		cells[i+2] = " " + cell + " "
	}
	return strings.Join(cells, "|")
}

// figure returns a mark with the captured figure before it.
func (d *document) figure(s string) string {
	d.held++
	m := marked.FindStringSubmatch(s)
	found := d.capture(m[2], m[3])
	if len(found) == 0 {
		return s
	}
	return found[0] + strings.TrimPrefix(s, m[1])
}

// capture returns what the pattern captures in a golden file, with commas between
// thousands, or nil where the pattern does not match once. It reads runs of spaces
// as one. A golden file lies beside this test, or has its path from the root of the
// repository.
func (d *document) capture(golden, pattern string) []string {
	path := filepath.Join("testdata", golden)
	if strings.Contains(golden, "/") {
		path = filepath.Join(root, filepath.FromSlash(golden))
	}
	text := spaces.ReplaceAllString(readFile(d.t, path), " ")
	found := regexp.MustCompile("(?m)"+pattern).FindAllStringSubmatch(text, -1)
	if len(found) != 1 || len(found[0]) < 2 {
		d.t.Errorf("%s: %q matches %d times in %s, expected one match with a group", d.path, pattern, len(found), golden)
		return nil
	}
	captured := found[0][1:]
	for i := range captured {
		captured[i] = digits.ReplaceAllStringFunc(captured[i], group)
	}
	return captured
}

// group puts commas between the thousands of a number, and none into decimals.
func group(number string) string {
	if number[0] == '.' || len(number) <= 3 {
		return number
	}
	return group(number[:len(number)-3]) + "," + number[len(number)-3:]
}

func readFile(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
