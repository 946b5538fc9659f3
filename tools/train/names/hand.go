package names

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/tools/train/source"
)

// handwritten is a column with names that a person wrote for it.
type handwritten struct {
	group  string // what is wholly in or out of a fold of the cross-validation
	entity string // what the table's rows are
	column string
	names  map[kind][]string
}

// marks open the lists of names in a file of [Sources.Columns].
var marks = map[rune]kind{'=': kindReplacement, '!': kindDistractor, '>': kindBroader, '<': kindNarrower}

// readColumns reads a file of lines
//
//	entity: column = replacement, … ! distractor, … > broader < narrower
//
// A name after ">" is entailed by the column, one after "<" entails it.
func readColumns(ctx context.Context, file string) ([]handwritten, error) {
	var out []handwritten
	err := lines(ctx, file, func(line string) error {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			return nil
		}
		h, err := parseColumn(text)
		if err == nil {
			out = append(out, h)
		}
		return err
	})
	return out, err
}

// parseColumn parses a line of a file of columns; see [readColumns].
func parseColumn(text string) (handwritten, error) {
	entity, rest, ok := strings.Cut(text, ":")
	if !ok {
		return handwritten{}, errors.New(`no colon, expected "entity: column = name, … ! name, …"`)
	}
	at := strings.IndexAny(rest, "=!><")
	if at < 0 {
		return handwritten{}, errors.New(`no names, expected a list after "=", "!", ">" or "<"`)
	}
	h := handwritten{entity: normal(entity), column: normal(rest[:at]), names: map[kind][]string{}}
	h.group = h.entity + ":" + h.column
	if h.column == "" {
		return h, errors.New("no column, expected its name before the lists")
	}
	for rest = rest[at:]; rest != ""; {
		k := marks[rune(rest[0])]
		end := strings.IndexAny(rest[1:], "=!><") + 1
		end = cmp.Or(end, len(rest))
		for name := range strings.SplitSeq(rest[1:end], ",") {
			if n := normal(name); n != "" {
				h.names[k] = append(h.names[k], n)
			}
		}
		rest = rest[end:]
	}
	return h, nil
}

// readADVETA reads a file of ADVETA's candidates: hand-made names of kind k.
func readADVETA(file string, k kind) ([]handwritten, error) {
	r, err := source.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var tables map[string]struct {
		DB    string              `json:"db_id"`
		Table string              `json:"table_name_original"`
		Names map[string][]string `json:"dict"`
	}
	if err := json.NewDecoder(r).Decode(&tables); err != nil {
		return nil, fmt.Errorf("%s: %w, expected candidates as ADVETA has them", file, err)
	}
	var out []handwritten
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		t := tables[id]
		for _, column := range slices.Sorted(maps.Keys(t.Names)) {
			h := handwritten{group: t.DB, entity: normal(t.Table), column: normal(column), names: map[kind][]string{}}
			for _, n := range t.Names[column] {
				if n := normal(n); n != "" && h.column != "" {
					h.names[k] = append(h.names[k], n)
				}
			}
			out = append(out, h)
		}
	}
	return out, nil
}

// graded is a pair of words with how alike in meaning they are, 0..1, and their
// relation: 's' the same, 'h' a is a kind of b, 'g' b is a kind of a, 'c' they
// exclude each other, 'r' none of these.
type graded struct {
	a, b       string
	similarity float64
	relation   byte
}

// readWords reads a file of lines "word, word, similarity 0..10, relation",
// separated by tabs.
func readWords(ctx context.Context, file string) ([]graded, error) {
	var out []graded
	err := lines(ctx, file, func(line string) error {
		if line == "" || line[0] == '#' {
			return nil
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 || len(f[3]) != 1 || !strings.Contains("shgcr", f[3]) {
			return fmt.Errorf("%q, expected word, word, similarity and one of s h g c r, separated by tabs", line)
		}
		x, err := strconv.ParseFloat(f[2], 64)
		if err != nil || !(x >= 0 && x <= 10) {
			return fmt.Errorf("similarity %q, expected a number from 0 to 10", f[2])
		}
		out = append(out, graded{normal(f[0]), normal(f[1]), x / 10, f[3][0]})
		return nil
	})
	return out, err
}

// readExcluded passes to add the pairs of a file that must not be in the training. A line has two words and anything after
// them; or, under the header "premise hypothesis", two sentences separated by a tab, which are reduced to the words that
// differ.
func readExcluded(ctx context.Context, file string, add func(a, b string)) error {
	sentences := false
	first := true
	return lines(ctx, file, func(line string) error {
		f := strings.Split(line, "\t")
		if first {
			first = false
			if sentences = strings.HasPrefix(line+"\t", "premise\thypothesis\t"); sentences {
				return nil
			}
		}
		if sentences && len(f) > 1 {
			add(difference(normal(f[0]), normal(f[1])))
			return nil
		}
		if len(f) < 2 {
			f = strings.Fields(line)
		}
		if len(f) > 1 {
			add(normal(f[0]), normal(f[1]))
		}
		return nil
	})
}

// difference returns two names without the words that both begin or end with, but with one word at least.
func difference(a, b string) (string, string) {
	x, y := strings.Fields(a), strings.Fields(b)
	for min(len(x), len(y)) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for min(len(x), len(y)) > 1 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return strings.Join(x, " "), strings.Join(y, " ")
}
