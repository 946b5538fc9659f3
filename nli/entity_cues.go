package nli

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed entity_cues.txt
var entityCues string

// Weights of cues, in the unit of an entailment: a cue counts for more than what
// a model of column names says of a sentence.
const (
	namesEntity    = 3.0 // a header that is the entity, in the first column that could be
	laterEntity    = 0.7 // factor for each column that stands before it
	namedEntity    = 0.4 // factor for a column of names that stands before it: that names the entity
	hasAttribute   = 1.0 // a header that tables about the entity have
	partOfHeader   = 0.5 // factor where the cue is a part of the header only
	captionsEntity = 3.0 // the caption names the entity
)

// EntityCues says which words of headers and captions speak for which class of
// [EntityClasses]. It stands beside a model that knows column names and no
// sentences, and is no part of the paper.
type EntityCues struct {
	cues    map[string][]cue // by phrase
	longest int              // words of the longest phrase
	key     string           // hash of the file and of the weights
}

type cue struct {
	class string
	names bool // the phrase names the entity, not an attribute of it
}

// DefaultEntityCues returns the embedded cues.
func DefaultEntityCues() *EntityCues { return defaultEntityCues() }

var defaultEntityCues = sync.OnceValue(func() *EntityCues {
	c, err := ReadEntityCues("entity_cues.txt", strings.NewReader(entityCues))
	if err != nil {
		panic(err) // the embedded file is tested
	}
	return c
})

// ReadEntityCues reads a file of cues, "CLASS: CUE, CUE; ATTRIBUTE, ATTRIBUTE" a
// line; "#" begins a comment. The error names the line; name is for it alone.
func ReadEntityCues(name string, r io.Reader) (*EntityCues, error) {
	c := &EntityCues{cues: map[string][]cue{}}
	h := sha256.New()
	fmt.Fprintln(h, namesEntity, laterEntity, namedEntity, hasAttribute, partOfHeader, captionsEntity)
	scanner := bufio.NewScanner(r)
	for n := 1; scanner.Scan(); n++ {
		line, _, _ := strings.Cut(scanner.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		fmt.Fprintln(h, line)
		class, rest, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q, expected CLASS: CUE, CUE; ATTRIBUTE, ATTRIBUTE", name, n, clip(line))
		}
		names, attributes, _ := strings.Cut(rest, ";")
		c.add(class, names, true)
		c.add(class, attributes, false)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.key = hex.EncodeToString(h.Sum(nil)[:8])
	return c, nil
}

func (c *EntityCues) add(class, list string, names bool) {
	for phrase := range strings.SplitSeq(list, ",") {
		key := lexicon.Normal(phrase)
		if key == "" {
			continue
		}
		c.cues[key] = append(c.cues[key], cue{class, names})
		c.longest = max(c.longest, 1+strings.Count(key, " "))
	}
}

// evidence returns what speaks for each class, 0 or more.
func (c *EntityCues) evidence(t *dataset.Table, caption string) map[string]float64 {
	sums := map[string]float64{}
	first := namesEntity
	for _, column := range t.Columns[:min(len(t.Columns), maxEntityColumns)] {
		words := wordsOf(cmp.Or(column.Name, column.Original), maxEntityText)
		found, whole := c.find(words)
		if n := len(words); n > 1 && names(words[n-1:]) { // "landmark name" is of landmarks
			if of, all := c.find(words[:n-1]); of != nil && !whole {
				found, whole = of, all
			}
		}
		factor := 1.0
		if !whole {
			factor = partOfHeader
		}
		for _, cue := range found {
			weight := hasAttribute
			if cue.names {
				weight = first
			}
			sums[cue.class] += factor * weight
		}
		switch {
		case names(words):
			first *= namedEntity
		case !orders(words):
			first *= laterEntity
		}
	}
	words := wordsOf(caption, maxCaption)
	for i := range words {
		for n := min(c.longest, len(words)-i); n > 0; n-- {
			for _, cue := range c.cues[strings.Join(words[i:i+n], " ")] {
				if cue.names {
					sums[cue.class] += captionsEntity
				}
			}
		}
	}
	return sums
}

func wordsOf(text string, most int) []string {
	return strings.Fields(lexicon.Normal(shorten(text, most)))
}

// find returns the cues of the longest phrase of a header, of equal ones the last,
// as English has the head there; whole tells whether it is all of the header.
func (c *EntityCues) find(words []string) (found []cue, whole bool) {
	for n := min(c.longest, len(words)); n > 0; n-- {
		for i := len(words) - n; i >= 0; i-- {
			if cues := c.cues[strings.Join(words[i:i+n], " ")]; cues != nil {
				return cues, n == len(words)
			}
		}
	}
	return nil, false
}

// names tells whether a header says that names stand below it, and not of what.
func names(words []string) bool {
	return len(words) == 1 && (words[0] == "name" || words[0] == "title")
}

// orders tells whether a header is of a column that numbers or dates rows: what
// the rows are then stands behind it.
func orders(words []string) bool {
	switch strings.Join(words, " ") {
	case "", "year", "date", "rank", "no", "number", "season", "pos", "place", "week", "position", "id", "month", "day", "m", "c 1", "c1", "r", "order", "nr":
		return true
	}
	return false
}
