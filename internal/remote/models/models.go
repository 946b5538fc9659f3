// Package models is the catalogue of real word vectors and NLI models, and the
// folder in which pulled ones lie.
//
// What the product embeds is small. A [Catalogue] names what may replace
// it: for each [Model] its files with address, size, SHA-256 and licence. A
// [Puller] downloads a model into a [Store]: it goes on where an earlier try
// broke off, never takes more bytes than it expects, and a file appears whole,
// with the right checksum, or not at all.
//
//	c := models.Default()
//	m, ok := c.Find("numberbatch-19.08")
//	store := models.Store{Dir: dir}
//	pulls, err := (&models.Puller{Store: store}).Pull(ctx, m)
//	err = store.Verify(ctx, m, func(err error) { … })
//
// Where the catalogue knows no checksum of a file, the first one seen is trusted
// and kept in the model's lock.json; from then on it is what the file must have.
package models

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/internal/kit/lazyregexp"
)

// Kind is the kind of a model.
type Kind string

// The kinds of models.
const (
	Vectors Kind = "vectors" // one file of word vectors that lexicon.OpenVectors reads
	NLI     Kind = "nli"     // the folder of a classifier that package nli/cybertron opens
	Masked  Kind = "masked"  // the folder of a masked language model that it opens
)

// kinds lists them all.
var kinds = []Kind{Vectors, NLI, Masked}

// Flag is the command-line flag that takes models of this kind.
func (k Kind) Flag() string { return "--" + string(k) }

// File is a file of a model.
type File struct {
	Name string `json:"name"` // in the model's folder
	URL  string `json:"url"`
	// Size is in bytes; 0 if it is not known. Approximate marks one that is
	// known to three digits.
	Size        int64 `json:"size,omitempty"`
	Approximate bool  `json:"approximate,omitempty"`
	// SHA256 is in lower-case hexadecimal; empty if it is not known.
	SHA256 string `json:"sha256,omitempty"`
}

// Model is an entry of the catalogue.
type Model struct {
	Name    string `json:"name"`
	Kind    Kind   `json:"kind"`
	Doc     string `json:"doc"`
	Licence string `json:"licence"` // as its source states it
	Source  string `json:"source"`  // the page that describes it
	// Labels are the classes of an NLI model in the order of its logits, where
	// its own configuration does not name them.
	Labels []string `json:"labels,omitempty"`
	Files  []File   `json:"files"`
}

// Size returns the bytes of those files of a model whose size is known, and
// whether that is exactly the size of the model.
func (m Model) Size() (n int64, exact bool) {
	exact = true
	for _, f := range m.Files {
		n += f.Size
		exact = exact && f.Size > 0 && !f.Approximate
	}
	return n, exact
}

// file returns the file of that name, or the zero File.
func (m Model) file(name string) File {
	if i := slices.IndexFunc(m.Files, func(f File) bool { return f.Name == name }); i >= 0 {
		return m.Files[i]
	}
	return File{}
}

// Catalogue is a list of models with distinct names.
type Catalogue []Model

//go:embed catalogue.json
var embedded []byte

// Default returns the embedded catalogue, which a test checks by [ReadCatalogue]'s
// rules.
func Default() Catalogue {
	c, err := ReadCatalogue("catalogue.json", bytes.NewReader(embedded))
	if err != nil {
		panic("models: " + err.Error())
	}
	return c
}

// Find returns the model of that name; false if there is none.
func (c Catalogue) Find(name string) (Model, bool) {
	if i := slices.IndexFunc(c, func(m Model) bool { return m.Name == name }); i >= 0 {
		return c[i], true
	}
	return Model{}, false
}

// Bounds on what a catalogue may ask for.
const (
	maxCatalogue = 1 << 20  // bytes of a catalogue or lock.json
	maxFiles     = 64       // files of a model
	maxSize      = 16 << 30 // bytes of a file
)

// ReadCatalogue reads a JSON list of models, as `tabperturb models list --json`
// prints it; name is for errors, which name the wrong entry. Unknown members are
// ignored.
func ReadCatalogue(name string, r io.Reader) (Catalogue, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCatalogue+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxCatalogue {
		return nil, fmt.Errorf("%s: more than %d bytes, expected a list of models", name, maxCatalogue)
	}
	var c Catalogue
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("%s: %w, expected a list of models", name, err)
	}
	seen := map[string]bool{}
	for i, m := range c {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		if seen[m.Name] {
			return nil, fmt.Errorf("%s:%d: %s is there twice, expected distinct names", name, i+1, m.Name)
		}
		seen[m.Name] = true
	}
	return c, nil
}

// The forms of names of models and of files, which are parts of paths, and of checksums.
var (
	modelName = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,99}$`)
	fileName  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)
	hexSHA256 = lazyregexp.New(`^([0-9a-f]{64})?$`)
)

// Name reports whether s has the form of a model's name: lower-case letters,
// digits, dots, dashes and underscores.
func Name(s string) bool { return modelName.MatchString(s) }

// check makes sure that a model can be pulled and stored: a catalogue or a lock
// may come from anywhere.
func (m Model) check() error {
	switch {
	case !Name(m.Name):
		return fmt.Errorf("name is %q, expected lower-case letters, digits, dots and dashes", m.Name)
	case !slices.Contains(kinds, m.Kind):
		return fmt.Errorf("%s: kind is %q, expected one of %v", m.Name, m.Kind, kinds)
	case m.Kind == Vectors && len(m.Files) != 1:
		return fmt.Errorf("%s: %d files, expected one file of vectors", m.Name, len(m.Files))
	case len(m.Files) == 0, len(m.Files) > maxFiles:
		return fmt.Errorf("%s: %d files, expected 1 to %d", m.Name, len(m.Files), maxFiles)
	}
	seen := map[string]bool{lockName: true}
	for _, f := range m.Files {
		if err := f.check(); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		folded := strings.ToLower(f.Name) // as some file systems do
		if seen[folded] {
			return fmt.Errorf("%s: file %s is there twice, or the store's own", m.Name, f.Name)
		}
		seen[folded] = true
	}
	return nil
}

// check returns an error for an unsafe name, an address of another kind, or an impossible size or checksum.
func (f File) check() error {
	if !fileName.MatchString(f.Name) || strings.HasSuffix(f.Name, partSuffix) || strings.HasSuffix(f.Name, validatorSuffix) {
		return fmt.Errorf("file name is %q, expected letters, digits, dots and dashes, and another ending", f.Name)
	}
	if err := checkWebAddress(f.URL); err != nil {
		return fmt.Errorf("%s: url %w", f.Name, err)
	}
	switch {
	case f.Size < 0, f.Size > maxSize:
		return fmt.Errorf("%s: size is %d, expected 0 to %d", f.Name, f.Size, int64(maxSize))
	case !hexSHA256.MatchString(f.SHA256):
		return fmt.Errorf("%s: sha256 is %q, expected 64 digits of lower-case hexadecimal", f.Name, f.SHA256)
	}
	return nil
}

// checkWebAddress returns an error unless s is an http or https address with a host.
func checkWebAddress(s string) error {
	u, err := url.Parse(s)
	if err == nil && (u.Host == "" || !slices.Contains([]string{"https", "http"}, u.Scheme)) {
		err = errors.New("no web address")
	}
	if err != nil {
		return fmt.Errorf("is %q, expected https://HOST/PATH: %w", s, err)
	}
	return nil
}
