package mix

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/table"
)

// CommandLine returns the command line that makes the same training set, on one line, without
// flags that do not change it. Paths are cut to their last part: the card is published.
func (c *Config) CommandLine() string {
	words := []string{"tabperturb mix"}
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, "--"+flag, v)
			}
		}
	}
	paths := func(list ...string) (out []string) {
		for _, p := range list {
			if p != "" { // Base returns "." for it
				p = filepath.Base(p)
			}
			out = append(out, p)
		}
		return out
	}
	add("data", paths(c.Data)...)
	add("build", paths(c.Builds...)...)
	add("perturb", c.Perturb...)
	add("strategy", string(c.Strategy))
	if c.Size > 0 {
		add("size", fmt.Sprint(c.Size))
	}
	if c.RatesFile != nil {
		add("consistency", c.RatesFile.Name)
	}
	add("model", c.RatesModel)
	add("exclude", paths(c.Exclude...)...)
	if len(c.Exclude) > 0 {
		add("exclude-split", c.ExcludeSplit)
	}
	add("licence", c.Licence)
	add("seed", fmt.Sprint(c.Seed))
	return strings.Join(strings.FieldsFunc(strings.Join(words, " "), unicode.IsControl), " ")
}

// WriteText writes what was drawn, and that it was written to out.
func (m *Manifest) WriteText(w io.Writer, out string) error {
	t := table.New("", "source", "records", "distinct", "share", "drawn")
	t.Add(Original, m.Originals, m.Originals, "", m.Originals)
	for _, r := range m.Relations {
		t.Add(r.Name, r.Records, r.Distinct, r.First, r.Drawn)
	}
	fmt.Fprint(w, t)
	if m.Interactions > 0 {
		fmt.Fprintf(w, "%d interactions, each drawn as a whole; %d of their turns stand unchanged beside perturbed ones\n", m.Interactions, m.Unchanged)
	}
	_, err := fmt.Fprintf(w, "%s on %s: %.2f times the originals\nwrote %s\n", table.Count(m.Rows, "example"), table.Count(m.Databases, "database"), float64(m.Rows)/float64(max(m.Originals, 1)), out)
	return err
}
