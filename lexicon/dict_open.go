package lexicon

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// maxFile bounds a dictionary file, in bytes; WordNet's largest has 16 MB.
const maxFile = 64 << 20

//go:embed data/*.txt
var data embed.FS

// DefaultThesaurus returns the embedded synonyms of the vocabulary of databases
// and web tables, written for this project (data/synonyms.txt).
var DefaultThesaurus = embedded("data/synonyms.txt", ReadThesaurus)

// DefaultAbbreviations returns the embedded abbreviations of database names,
// written for this project (data/abbreviations.txt).
var DefaultAbbreviations = embedded("data/abbreviations.txt", ReadAbbreviations)

// DefaultDomainWords returns the embedded vocabulary of the domains that
// [DefaultThesaurus] marks, written for this project (data/domains.txt).
var DefaultDomainWords = embedded("data/domains.txt", ReadDomainWords)

// DefaultContrasts returns the embedded contrasts of the vocabulary of databases
// and web tables, written for this project (data/contrasts.txt).
var DefaultContrasts = embedded("data/contrasts.txt", ReadContrasts)

// DefaultAttributes returns the embedded attributes, written for this project
// (data/attributes.txt).
var DefaultAttributes = embedded("data/attributes.txt", ReadAttributes)

// DefaultCells returns what columns hold by the last words of their names, written for this project
// (data/cells.txt): one entity, see [Attributes.Like].
var DefaultCells = embedded("data/cells.txt", ReadAttributes)

// DefaultDictionary returns [DefaultThesaurus] under the [Forms] that
// [DefaultAbbreviations] adds.
func DefaultDictionary() Dictionary {
	return Forms{Dictionary: DefaultThesaurus(), Abbreviations: DefaultAbbreviations()}
}

// embedded returns a function that parses an embedded file when it is first called. A test checks
// that the file has no faults.
func embedded[T any](name string, read func(string, io.Reader, func(error)) (T, error)) func() T {
	return sync.OnceValue(func() T {
		raw, missing := data.ReadFile(name)
		v, err := read(name, bytes.NewReader(raw), func(error) {})
		if err = cmp.Or(missing, err); err != nil {
			panic(err)
		}
		return v
	})
}

// OpenDictionary opens the dictionary at path: a folder in the format of
// WordNet 3.x ([OpenWordNet]), a .json file ([ReadJSON]), else plain text
// ([ReadThesaurus]). Records that are not what their format expects are
// reported; the error is for files that cannot be read.
func OpenDictionary(path string, report func(error)) (Dictionary, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		wordNet, err := OpenWordNet(os.DirFS(path), report)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return wordNet, nil
	}
	raw, err := readBounded(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	read := ReadThesaurus
	if filepath.Ext(path) == ".json" {
		read = ReadJSON
	}
	return read(path, bytes.NewReader(raw), report)
}

// ReadJSON reads one JSON object of the form {"word": ["synonym", …], …}. It skips and
// reports a word with another value, by the number of the word from 1. It returns an error
// for invalid JSON.
func ReadJSON(name string, r io.Reader, report func(error)) (*Thesaurus, error) {
	const want = `expected an object {"word": ["synonym", …]}`
	t := &Thesaurus{entries: make(map[string][]synonym)}
	dec := json.NewDecoder(r)
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("%s: %s", name, want)
	}
	for record := 1; dec.More(); record++ {
		var value json.RawMessage
		head, err := dec.Token()
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w, %s", name, record, err, want)
		}
		var synonyms []string
		if err := json.Unmarshal(value, &synonyms); err != nil {
			report(&LineError{name, record, fmt.Errorf("%q: %w, expected a list of strings", head, err)})
			continue
		}
		for _, s := range synonyms {
			if foldTerm(s) != "" {
				t.add(head.(string), synonym{term: s})
			}
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("%s: %w, %s", name, err, want)
	}
	return t, nil
}

// readBounded reads a file of at most maxFile bytes.
func readBounded(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(raw) > maxFile {
		return nil, fmt.Errorf("%s: over %d bytes", name, maxFile)
	}
	return raw, nil
}
