package lexicon

import (
	"bytes"
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

//go:embed data/synonyms.txt data/abbreviations.txt data/domains.txt
var data embed.FS

// DefaultThesaurus returns the embedded synonyms of the vocabulary of databases
// and web tables, written for this project (data/synonyms.txt).
var DefaultThesaurus = sync.OnceValue(func() *Thesaurus {
	return embedded("data/synonyms.txt", ReadThesaurus)
})

// DefaultAbbreviations returns the embedded abbreviations of database names,
// written for this project (data/abbreviations.txt).
var DefaultAbbreviations = sync.OnceValue(func() *Abbreviations {
	return embedded("data/abbreviations.txt", ReadAbbreviations)
})

// DefaultDomainWords returns the embedded vocabulary of the domains that
// [DefaultThesaurus] marks, written for this project (data/domains.txt).
var DefaultDomainWords = sync.OnceValue(func() *DomainWords {
	return embedded("data/domains.txt", ReadDomainWords)
})

// DefaultDictionary returns [DefaultThesaurus] under the [Forms] that
// [DefaultAbbreviations] adds.
func DefaultDictionary() Dictionary {
	return Forms{Dictionary: DefaultThesaurus(), Abbreviations: DefaultAbbreviations()}
}

// embedded reads an embedded file, which a test keeps without problems.
func embedded[T any](name string, read func(string, io.Reader) (T, []Problem, error)) T {
	f, err := data.Open(name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	v, _, err := read(name, f)
	if err != nil {
		panic(err)
	}
	return v
}

// OpenDictionary opens the dictionary at path: a folder in the format of
// WordNet 3.x ([OpenWordNet]), a .json file ([ReadJSON]), else plain text
// ([ReadThesaurus]). Records that are not what their format expects are
// reported; the error is for files that cannot be read.
func OpenDictionary(path string) (Dictionary, []Problem, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		wn, problems, err := OpenWordNet(os.DirFS(path))
		if err != nil {
			return nil, problems, fmt.Errorf("%s: %w", path, err)
		}
		return wn, problems, nil
	}
	raw, err := readBounded(os.DirFS(filepath.Dir(path)), filepath.Base(path))
	if err != nil {
		return nil, nil, err
	}
	var t *Thesaurus
	var problems []Problem
	if filepath.Ext(path) == ".json" {
		t, problems, err = ReadJSON(path, bytes.NewReader(raw))
	} else {
		t, problems, err = ReadThesaurus(path, bytes.NewReader(raw))
	}
	if err != nil {
		return nil, problems, err
	}
	return t, problems, nil
}

// ReadJSON reads one JSON object of the form {"word": ["synonym", …], …}. A word
// with another value is skipped and reported under its number; text that is no
// JSON ends the reading with an error.
func ReadJSON(name string, r io.Reader) (*Thesaurus, []Problem, error) {
	const want = `expected an object {"word": ["synonym", …]}`
	t := &Thesaurus{entries: make(map[string][]synonym)}
	var problems []Problem
	dec := json.NewDecoder(r)
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, nil, fmt.Errorf("%s: %s", name, want)
	}
	for record := 1; dec.More(); record++ {
		head, err := dec.Token()
		if err != nil {
			return nil, problems, fmt.Errorf("%s:%d: %w, %s", name, record, err, want)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, problems, fmt.Errorf("%s:%d: %w, %s", name, record, err, want)
		}
		var synonyms []string
		if err := json.Unmarshal(value, &synonyms); err != nil {
			problems = append(problems, Problem{name, record, fmt.Sprintf("%q: %v, expected a list of strings", head, err)})
			continue
		}
		for _, s := range synonyms {
			if foldTerm(s) != "" {
				t.add(head.(string), synonym{term: s})
			}
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, problems, fmt.Errorf("%s: %w, %s", name, err, want)
	}
	return t, problems, nil
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
