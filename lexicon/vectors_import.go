package lexicon

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/outdir"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
)

// MaxPhraseWords is the number of words of the longest term that [Phrase] looks
// up; imports skip longer ones.
const MaxPhraseWords = 4

const (
	maxVectorLine     = 256 << 10 // bytes of a line of text vectors: 4096 components of 64 bytes
	maxImportProblems = 100       // bad lines that are reported
)

// ImportReport counts the lines of a file of text vectors by their fate.
// Their number is Terms + Repeated + Skipped + Bad, and one for the header.
type ImportReport struct {
	Dim      int // components of each vector
	Terms    int // vectors written
	Repeated int // lines whose term, after folding by [Key], came before
	Skipped  int // lines of another language, of no word or of more than MaxPhraseWords
	Bad      int // lines without a term or without Dim finite numbers
}

// Import writes the text vectors of src as a .tpv file to dst. It reads
// word2vec text ("N D" and then lines of a term and D numbers), the same without
// its first line (GloVe), and ConceptNet Numberbatch, whose keys are words with
// underscores for blanks, or URIs (lines of other languages than /c/en/ are skipped);
// each plain or gzip. Rows become int8: a component is off by at most 1/254 of the largest of
// its row.
//
// Terms fold by [Key]; the first of those that fold to one term is kept, in
// word2vec's files the most frequent. Bad lines do not stop the import, and the first 100
// are reported; the error is for input and output, a file without any vector, or a cancelled context. Memory
// holds the terms and no vectors; dst appears whole or not at all.
func Import(ctx context.Context, src, dst string, report func(error)) (ImportReport, error) {
	in, err := os.Open(src)
	if err != nil {
		return ImportReport{}, err
	}
	defer in.Close()
	im := importer{name: src, warn: report, seen: make(map[string]struct{})}
	err = outdir.WriteFile(dst, func(w io.Writer) error { return im.run(ctx, in, w, dst+".rows") })
	return im.report, err
}

// run reads text vectors from in and writes a .tpv file to w. The rows are spooled to a temporary file at path, as a .tpv file
// begins with all terms.
func (im *importer) run(ctx context.Context, in io.Reader, w io.Writer, path string) error {
	spool, err := os.Create(path)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer spool.Close()
	im.spool = bufio.NewWriterSize(spool, 1<<20)
	if err := im.read(ctx, in); err != nil {
		return fmt.Errorf("%s: %w", im.name, err)
	}
	if err := im.spool.Flush(); err != nil {
		return err
	}
	if len(im.terms) == 0 {
		return fmt.Errorf("%s: no vectors, expected lines of a term and its numbers", im.name)
	}
	dim := im.report.Dim
	raw, row := make([]byte, dim), make([]int8, dim)
	return WriteVectors(w, dim, im.terms, func(i int) ([]int8, error) {
		_, err := spool.ReadAt(raw, int64(i)*int64(dim))
		for k, b := range raw {
			row[k] = int8(b)
		}
		return row, err
	})
}

// importer reads text vectors: it collects the terms and spools the quantized rows to a file.
type importer struct {
	name   string      // of the file, for messages
	warn   func(error) // gets bad lines
	report ImportReport
	terms  []string            // in the order of the rows
	seen   map[string]struct{} // the same
	spool  *bufio.Writer       // of quantized rows
	vec    []float32           // of the current line
	row    []int8              // the same, quantized
}

// read reads plain or packed text line by line. It returns an error of reading, not of a bad line.
func (im *importer) read(ctx context.Context, r io.Reader) error {
	plain, err := packed.Plain(r)
	if err != nil {
		return err
	}
	br := bufio.NewReaderSize(plain, maxVectorLine)
	for line := 1; ; line++ {
		if line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, whole, err := readLine(br)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		switch {
		case !whole:
			im.bad(line, fmt.Errorf("longer than %d bytes", maxVectorLine))
		case line == 1 && im.header(text): // sets the dimension
		default:
			if err := im.addLine(text); err != nil {
				im.bad(line, err)
			}
		}
		if len(im.terms) > MaxTerms {
			return fmt.Errorf("more than %d vectors", MaxTerms)
		}
	}
}

// readLine returns the next line, valid until the next call, and whether it fits
// the reader's buffer. It skips a line that does not fit, and returns io.EOF after the last line.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	line, err = r.ReadSlice('\n')
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if err != bufio.ErrBufferFull {
		return bytes.TrimSpace(line), true, err
	}
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	if err == io.EOF {
		err = nil
	}
	return nil, false, err
}

// header parses the first line of word2vec text, "rows components", and sets the number of
// components. It returns false if the line has another form.
func (im *importer) header(text []byte) bool {
	f := strings.Fields(string(text))
	if len(f) != 2 {
		return false
	}
	_, err := strconv.ParseUint(f[0], 10, 63)
	dim, err2 := strconv.Atoi(f[1])
	return errors.Join(err, err2) == nil && im.setDim(dim)
}

// setDim sets the number of components of each vector, false if a table cannot have as many.
func (im *importer) setDim(dim int) bool {
	if dim < 1 || dim > MaxDim {
		return false
	}
	im.report.Dim = dim
	im.vec = make([]float32, dim)
	im.row = make([]int8, dim)
	return true
}

// bad counts a bad line and reports the first maxImportProblems.
func (im *importer) bad(line int, err error) {
	im.report.Bad++
	if im.report.Bad <= maxImportProblems {
		im.warn(&LineError{im.name, line, err})
	}
}

// addLine parses "term number number …" and adds the term with its vector; the error describes a bad line. The first line of a
// file without a header sets the number of components. Numbers are taken from the end, as a term may contain blanks.
func (im *importer) addLine(text []byte) error {
	if im.report.Dim == 0 {
		if dim := len(bytes.Fields(text)) - 1; !im.setDim(dim) {
			return fmt.Errorf("a term and %d numbers, expected 1 to %d", max(dim, 0), MaxDim)
		}
	}
	for i := len(im.vec) - 1; i >= 0; i-- {
		at := bytes.LastIndexAny(text, " \t")
		if at < 0 {
			return fmt.Errorf("a term and %d numbers, expected %d", len(im.vec)-1-i, len(im.vec))
		}
		x, err := strconv.ParseFloat(string(text[at+1:]), 32)
		if err != nil {
			return fmt.Errorf("%.40q for component %d of %d, expected a number", text[at+1:], i+1, len(im.vec))
		}
		im.vec[i] = float32(x)
		text = bytes.TrimRight(text[:at], " \t")
	}
	return im.addTerm(string(text))
}

// addTerm adds a term with the vector im.vec, unless it is skipped or repeated. A zero or infinite vector is an error.
func (im *importer) addTerm(raw string) error {
	key, ok := importKey(raw)
	if !ok {
		im.report.Skipped++
		return nil
	}
	if _, ok := im.seen[key]; ok {
		im.report.Repeated++
		return nil
	}
	if !Quantize(im.row, im.vec) {
		return fmt.Errorf("vector of %.40q is zero or not finite, expected a direction", raw)
	}
	im.seen[key] = struct{}{}
	im.terms = append(im.terms, key)
	im.report.Terms++
	for _, v := range im.row {
		im.spool.WriteByte(byte(v)) // an error stays until Flush
	}
	return nil
}

// importKey returns the term of a key in a vector file: "/c/en/birth_date/n" → "birth date". It returns false for other
// languages, and for terms without words or too long to be looked up.
func importKey(raw string) (string, bool) {
	if uri, ok := strings.CutPrefix(raw, "/c/"); ok {
		word, english := strings.CutPrefix(uri, "en/")
		if !english {
			return "", false
		}
		raw, _, _ = strings.Cut(word, "/") // without part of speech and sense
	}
	key := Key(raw)
	return key, key != "" && len(key) <= MaxTermLen && strings.Count(key, " ") < MaxPhraseWords
}
