package cybertron

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nlpodyssey/cybertron/pkg/tokenizers/wordpiecetokenizer"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// RoBERTa's special tokens.
const (
	startToken   = "<s>"
	endToken     = "</s>"
	unknownToken = "<unk>"
)

// maxWord is the number of bytes of a word after which it is cut, as merging is quadratic.
const maxWord = 256

// bytePairs splits texts for RoBERTa: a text into words, a word into its bytes, each written as a
// character, and merges neighbours of these. Cybertron's tokenizer for that splits contractions in
// capitals in another way, and panics on bytes that are not UTF-8.
type bytePairs struct {
	pieces      map[string]int    // row by piece
	ranks       map[[2]string]int // of merges; the lowest is made first
	symbols     [256]string       // the character for each byte
	prefixSpace bool              // a text gets a blank before it
	files       []string
}

// readBytePairs reads vocab.json and merges.txt, or tokenizer.json if there is no vocab.json.
func readBytePairs(dir string, size int) (*tokenizer, []string, error) {
	read := readPiecesAndMerges
	if _, err := os.Stat(filepath.Join(dir, piecesFile)); errors.Is(err, fs.ErrNotExist) {
		read = readTokenizerJSON
	}
	b, err := read(dir)
	if err != nil {
		return nil, nil, err
	}
	b.symbols = byteSymbols()
	terms, err := b.terms(size)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, b.files[0]), err)
	}
	// RoBERTa puts two end tokens between the texts of a pair.
	return &tokenizer{splitter: b, files: b.files, start: startToken, between: []string{endToken, endToken}, end: endToken}, terms, nil
}

// readPiecesAndMerges reads vocab.json, merges.txt, which has a merge on each line, and tokenizer_config.json, if the folder
// has that.
func readPiecesAndMerges(dir string) (*bytePairs, error) {
	b := &bytePairs{ranks: map[[2]string]int{}, files: []string{piecesFile, mergesFile}}
	if err := readJSON(filepath.Join(dir, piecesFile), &b.pieces); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, mergesFile)
	data, err := readBounded(path, maxTextFile)
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if n++; n == 1 && strings.HasPrefix(line, "#version") {
			continue
		}
		if err := b.addMerge(n, strings.Split(strings.TrimRight(line, "\r\n"), " ")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	var c struct {
		AddPrefixSpace bool `json:"add_prefix_space"`
	}
	if err := readJSON(filepath.Join(dir, tokenizerFile), &c); err == nil {
		b.files = append(b.files, tokenizerFile)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b.prefixSpace = c.AddPrefixSpace
	return b, nil
}

// readTokenizerJSON reads the pieces and the merges from tokenizer.json, and whether a text gets a blank before it.
func readTokenizerJSON(dir string) (*bytePairs, error) {
	var c struct {
		Added []struct {
			ID      int    `json:"id"`
			Content string `json:"content"`
		} `json:"added_tokens"`
		PreTokenizer struct {
			Type           string `json:"type"`
			AddPrefixSpace bool   `json:"add_prefix_space"`
		} `json:"pre_tokenizer"`
		Model struct {
			Vocab  map[string]int  `json:"vocab"`
			Merges json.RawMessage `json:"merges"` // "a b", or in newer files ["a", "b"]
		} `json:"model"`
	}
	path := filepath.Join(dir, bpeFile)
	if err := readJSON(path, &c); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no tokenizer, expected %s and %s, or %s", dir, piecesFile, mergesFile, bpeFile)
	} else if err != nil {
		return nil, err
	}
	if c.PreTokenizer.Type != "ByteLevel" || c.Model.Vocab == nil {
		return nil, fmt.Errorf("%s: pre_tokenizer is %q, expected \"ByteLevel\", and a vocabulary", path, c.PreTokenizer.Type)
	}
	for _, a := range c.Added {
		c.Model.Vocab[a.Content] = a.ID
	}
	b := &bytePairs{pieces: c.Model.Vocab, ranks: map[[2]string]int{}, prefixSpace: c.PreTokenizer.AddPrefixSpace, files: []string{bpeFile}}
	merges, err := parseMerges(c.Model.Merges)
	if err != nil {
		return nil, fmt.Errorf("%s: merges: %w", path, err)
	}
	for i, m := range merges {
		if err := b.addMerge(i, m); err != nil {
			return nil, fmt.Errorf("%s: merge %d: %w", path, i+1, err)
		}
	}
	return b, nil
}

// parseMerges parses the merges of tokenizer.json, in either form: ["a b", …] or [["a", "b"], …].
func parseMerges(data []byte) (merges [][]string, err error) {
	var lines []string
	if json.Unmarshal(data, &lines) != nil {
		err = json.Unmarshal(data, &merges)
		return merges, err
	}
	return lists.Map(lines, func(line string) []string { return strings.Split(line, " ") }), nil
}

// addMerge stores the rank of a merge of two pieces. It returns an error if the merge has not two parts, or if the
// vocabulary lacks a part or the two joined.
func (b *bytePairs) addMerge(rank int, merge []string) error {
	if len(merge) != 2 {
		return fmt.Errorf("a merge of %d parts, expected 2", len(merge))
	}
	for _, piece := range []string{merge[0], merge[1], merge[0] + merge[1]} {
		if _, ok := b.pieces[piece]; !ok {
			return fmt.Errorf("%q is not in the vocabulary, expected a merge of two pieces into one", piece)
		}
	}
	b.ranks[[2]string{merge[0], merge[1]}] = rank
	return nil
}

// terms returns the pieces in the order of the model's size rows. It returns an error unless each row has one piece and the
// special tokens are RoBERTa's.
func (b *bytePairs) terms(size int) ([]string, error) {
	if len(b.pieces) != size {
		return nil, fmt.Errorf("%d entries, expected config.json's vocab_size of %d", len(b.pieces), size)
	}
	terms := make([]string, size)
	taken := make([]bool, size)
	for piece, row := range b.pieces {
		if row < 0 || row >= size || taken[row] {
			return nil, fmt.Errorf("the rows are not 0 to %d, each once", size-1)
		}
		terms[row], taken[row] = piece, true
	}
	for _, special := range []string{startToken, endToken, unknownToken} {
		if _, ok := b.pieces[special]; !ok {
			return nil, fmt.Errorf("lacks %s, expected RoBERTa's special tokens", special)
		}
	}
	if _, ok := b.pieces[wordpiecetokenizer.DefaultSequenceSeparator]; ok { // cybertron begins a segment after it
		return nil, fmt.Errorf("has BERT's %s, expected RoBERTa's special tokens", wordpiecetokenizer.DefaultSequenceSeparator)
	}
	return terms, nil
}

// split returns the pieces of a text: it cuts the text into words, and merges the bytes of each word.
func (b *bytePairs) split(text string) (pieces []string) {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if first, _ := utf8.DecodeRuneInString(text); b.prefixSpace && text != "" && !unicode.IsSpace(first) {
		text = " " + text
	}
	for text != "" {
		n := wordLength(text)
		for word := range slices.Chunk([]byte(text[:n]), maxWord) {
			symbols := lists.Map(word, func(c byte) string { return b.symbols[c] })
			pieces = append(pieces, lists.Map(b.merge(symbols), b.known)...)
		}
		text = text[n:]
	}
	return pieces
}

// wordForm matches the words of GPT-2's byte-level tokenizer at the start of a text.
var wordForm = lazyregexp.New(`^(?:'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\v\x{85}\p{Z}\p{L}\p{N}]+|[\s\v\x{85}\p{Z}]+)`)

// wordLength returns the number of bytes of the first word of a text: letters, digits or other characters, each with a blank before
// them, an ending such as "'s", or a run of blanks. The last of several blanks belongs to the word after them, so such a run ends one
// blank earlier.
func wordLength(text string) int {
	n := len(wordForm.FindString(text))
	last, width := utf8.DecodeLastRuneInString(text[:n])
	if n < len(text) && n > width && unicode.IsSpace(last) { // a single blank is the word
		n -= width
	}
	return n
}

// byteSymbols returns the character that the vocabulary has for each byte: the byte's character in Latin-1 if
// that is visible, else the next unused one from U+0100 on.
func byteSymbols() (symbols [256]string) {
	next := rune(256)
	for c := range rune(256) {
		isVisible := '!' <= c && c <= '~' || 0xa1 <= c && c != 0xad // 0xad: the soft hyphen
		if isVisible {
			symbols[c] = string(c)
		} else {
			symbols[c] = string(next)
			next++
		}
	}
	return symbols
}

// known returns the piece, or the unknown one if the vocabulary lacks it.
func (b *bytePairs) known(piece string) string {
	if _, ok := b.pieces[piece]; ok {
		return piece
	}
	return unknownToken
}

// merge merges pairs of neighbouring pieces, the pair of lowest rank first, until no pair has a rank. It reuses the slice.
func (b *bytePairs) merge(pieces []string) []string {
	for {
		best, lowest := [2]string{}, math.MaxInt
		for i := range len(pieces) - 1 {
			pair := [2]string{pieces[i], pieces[i+1]}
			if rank, ok := b.ranks[pair]; ok && rank < lowest {
				best, lowest = pair, rank
			}
		}
		if lowest == math.MaxInt {
			return pieces
		}
		merged := pieces[:0]
		for i := 0; i < len(pieces); i++ {
			if i+1 < len(pieces) && pieces[i] == best[0] && pieces[i+1] == best[1] {
				merged = append(merged, best[0]+best[1])
				i++
			} else {
				merged = append(merged, pieces[i])
			}
		}
		pieces = merged
	}
}
