package predict

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"text/template"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/remote/victim"
)

// promptsOf returns an iterator over the prompts of units, which it makes one unit after the other, and a pointer to its error, which
// is set once the prompts are consumed: nil, or why they ended early.
func promptsOf(ctx context.Context, units []*dataset.Unit, t *template.Template) (iter.Seq[*victim.Prompt], *error) {
	failed := new(error)
	return func(yield func(*victim.Prompt) bool) {
		for _, u := range units {
			prompts, err := victim.Prompts(ctx, u, t)
			if err != nil {
				*failed = fmt.Errorf("%s: %w", u.DB.ID, err)
				return
			}
			for _, prompt := range prompts {
				if !yield(prompt) {
					return
				}
			}
		}
	}, failed
}

// FirstPrompt returns the text of the prompt for the first question.
func (c *Config) FirstPrompt(ctx context.Context) (string, error) {
	units, err := c.Units(c.Sides[0].Dir, c.Sides[0].Split)
	if err != nil {
		return "", err
	}
	prompts, failed := promptsOf(ctx, units, c.Template)
	for p := range prompts {
		return p.Text, nil
	}
	return "", *failed
}

// WritePrompts writes the prompts of all sides to a file, each distinct one once, and returns how
// many it wrote.
func (c *Config) WritePrompts(ctx context.Context, path string) (n int, err error) {
	err = outdir.WriteFile(path, func(w io.Writer) error {
		enc, written := json.NewEncoder(w), map[string]bool{}
		enc.SetEscapeHTML(false)
		for _, side := range c.Sides {
			units, err := c.Units(side.Dir, side.Split)
			if err != nil {
				return err
			}
			prompts, failed := promptsOf(ctx, units, c.Template)
			for p := range prompts {
				if written[p.ID] {
					continue
				}
				written[p.ID] = true
				if err := enc.Encode(p); err != nil {
					return err
				}
			}
			if *failed != nil {
				return *failed
			}
		}
		n = len(written)
		return nil
	})
	return n, err
}
