package lexicon

import (
	"fmt"
	"io"

	"github.com/tabperturb/tabperturb/internal/kit/tsv"
)

// Similarities reads pairs of phrases from a TSV file and writes a header and then each pair with its
// cosine, which is 0 if a phrase has no vector. rows counts the pairs and unknown those without a
// vector; name is the file's name in messages.
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
