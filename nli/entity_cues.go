package nli

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
	"github.com/tabperturb/tabperturb/lexicon"
)

//go:embed entity_cues.txt
var entityCues string

// The weights of cues, which are added to entailments. A cue weighs more than the entailment
// of a sentence by a model of column names.
const (
	headerWeight    = 3.0 // a header names the entity, in the first column that can
	laterFactor     = 0.7 // for each earlier column that could name the entity
	namedFactor     = 0.4 // for an earlier column of names: these already name the entity
	attributeWeight = 1.0 // tables about the entity have such a header
	partFactor      = 0.5 // the cue is only a part of the header
	captionWeight   = 3.0 // the caption names the entity
)

// EntityCues maps phrases of headers and captions to the classes of [EntityClasses] that they
// are evidence for. They complement a model that knows column names but no sentences. The
// paper has none.
type EntityCues struct {
	cues    map[string][]cue // by phrase
	longest int              // words of the longest phrase
	key     string           // hash of the file and of the weights
}

// cue is the class that a phrase is evidence for.
type cue struct {
	class string
	names bool // the phrase names the entity, not an attribute of it
}

// DefaultEntityCues returns the embedded cues.
var DefaultEntityCues = sync.OnceValue(func() *EntityCues {
	c, err := readEntityCues(entityCues)
	if err != nil {
		panic(err) // the embedded file is tested
	}
	return c
})

// readEntityCues reads lines "CLASS: CUE, CUE; ATTRIBUTE, ATTRIBUTE": phrases that name the entity, then its
// attributes. A line that begins with "#" is a comment.
func readEntityCues(text string) (*EntityCues, error) {
	c := &EntityCues{cues: map[string][]cue{}}
	h := sha256.New()
	// The key identifies predictions, so it depends on the weights too.
	fmt.Fprintln(h, headerWeight, laterFactor, namedFactor, attributeWeight, partFactor, captionWeight)
	for line := range wordfile.Lines(text) {
		fmt.Fprintln(h, line)
		class, rest, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("cue %q, expected CLASS: CUE, CUE; ATTRIBUTE, ATTRIBUTE", line)
		}
		names, attributes, _ := strings.Cut(rest, ";")
		c.add(class, names, true)
		c.add(class, attributes, false)
	}
	c.key = hex.EncodeToString(h.Sum(nil)[:8])
	return c, nil
}

// add adds the phrases of a list, which commas separate, as cues for a class. names is whether they name the entity itself
// rather than an attribute of it.
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

// evidence returns for each class the sum of the weights of its cues in the headers and the caption of
// a table. A header that names the entity counts less in later columns, as the first column that is no
// date or rank usually names the rows.
func (c *EntityCues) evidence(t *dataset.Table, caption string) map[string]float64 {
	sums := map[string]float64{}
	nameWeight := headerWeight // of a header that names the entity; it falls from column to column
	for _, column := range t.Columns[:min(len(t.Columns), maxEntityColumns)] {
		words := wordsOf(cmp.Or(column.Name, column.Original), maxEntityText)
		cues, factor := c.headerCues(words) // factor: less than 1 for a part of the header
		for _, cue := range cues {
			weight := attributeWeight
			if cue.names {
				weight = nameWeight
			}
			sums[cue.class] += factor * weight
		}
		switch {
		case isNameHeader(words):
			nameWeight *= namedFactor
		case !isOrderHeader(words):
			nameWeight *= laterFactor
		}
	}
	words := wordsOf(caption, maxCaption)
	for i := range words { // every phrase of the caption
		for n := min(c.longest, len(words)-i); n > 0; n-- {
			for _, cue := range c.cues[strings.Join(words[i:i+n], " ")] {
				if cue.names { // attributes count in headers only
					sums[cue.class] += captionWeight
				}
			}
		}
	}
	return sums
}

// headerCues returns the cues of a header, and the factor of their weights: 1 if the phrase is the whole header, partFactor
// if it is only a part. The whole "landmark name" counts as "landmark", if that has cues.
func (c *EntityCues) headerCues(words []string) ([]cue, float64) {
	cues, whole := c.longestCues(words)
	if n := len(words); !whole && n > 1 && isNameHeader(words[n-1:]) {
		if found, isWhole := c.longestCues(words[:n-1]); found != nil {
			cues, whole = found, isWhole
		}
	}
	if !whole {
		return cues, partFactor
	}
	return cues, 1
}

// wordsOf returns the words of the first most runes of a text, as [lexicon.Normal] has them.
func wordsOf(text string, most int) []string {
	return strings.Fields(lexicon.Normal(shorten(text, most)))
}

// longestCues returns the cues of the longest phrase of a header that has some, and reports whether
// the phrase is the whole header. Of equally long phrases the last counts, as the head of an
// English noun phrase comes last.
func (c *EntityCues) longestCues(words []string) (found []cue, whole bool) {
	for n := min(c.longest, len(words)); n > 0; n-- {
		for i := len(words) - n; i >= 0; i-- {
			if cues := c.cues[strings.Join(words[i:i+n], " ")]; cues != nil {
				return cues, n == len(words)
			}
		}
	}
	return nil, false
}

// isNameHeader reports whether a header is "name" or "title", without the entity that has the name.
func isNameHeader(words []string) bool {
	return len(words) == 1 && slices.Contains([]string{"name", "title"}, words[0])
}

// isOrderHeader reports whether a header is empty or of a column that numbers or dates the rows. The column that
// names the entity then comes later.
func isOrderHeader(words []string) bool {
	return slices.Contains([]string{
		"", "year", "date", "rank", "no", "number", "season", "pos", "place", "week", "position", "id", "month", "day",
		"m", "c 1", "c1", "r", "order", "nr",
	}, strings.Join(words, " "))
}
