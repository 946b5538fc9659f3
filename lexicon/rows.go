package lexicon

import (
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/internal/kit/tsv"
)

// Similarities writes the cosine of each pair of phrases of a TSV file behind the pair, below a
// header. It is 0 where a phrase has no vector; unknown counts such pairs. name is for messages.
func Similarities(v Vectors, name string, r io.Reader, w io.Writer) (rows, unknown int, err error) {
	fmt.Fprintln(w, "a\tb\tcosine")
	err = tsv.Each(name, r, func(row int, fields []string) error {
		if len(fields) != 2 {
			return fmt.Errorf("%s:%d: %d fields, expected 2: a, b, separated by a tab", name, row, len(fields))
		}
		x, _, _ := Phrase(v, fields[0])
		y, _, _ := Phrase(v, fields[1])
		cosine := 0.0
		rows++
		if x == nil || y == nil {
			unknown++
		} else {
			cosine = Cosine(x, y)
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%.4f\n", fields[0], fields[1], cosine)
		return err
	})
	return rows, unknown, err
}
