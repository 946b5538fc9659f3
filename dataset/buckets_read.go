package dataset

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// ReadBuckets reads a buckets.json. The name is for messages. Each function of trim is called
// with each candidate and may clear the fields that the caller does not need, because a file may
// be larger than memory.
func ReadBuckets(r io.Reader, name string, report func(error), trim ...func(*Candidate)) (Buckets, error) {
	buckets := Buckets{}
	found := false
	s := newScanner(r)
	err := s.eachMember(func(_ int, key string) (bool, error) {
		if key == "columns" {
			found = true
			return true, s.eachElement(func(i int, raw []byte, problem error) bool {
				rec := Raw{File: name, Number: i}
				err := problem
				if err == nil {
					err = buckets.add(raw, trim, func(err error) { report(Note(rec.Problem(err))) })
				}
				if err != nil {
					report(rec.Problem(err))
				}
				return true
			})
		}
		raw, _, err := s.nextValue()
		if err == nil && key == "version" {
			err = checkVersion(raw)
		}
		return true, err
	})
	if err := s.endError(name, nil, err); err != nil {
		return nil, err
	}
	if !found {
		return nil, fileError(name, Missing("columns"))
	}
	return buckets, nil
}

// BucketsWithout returns the member "without" of a buckets.json: the parts of the pipeline, separated by commas, that were
// switched off when its names were found. It is "" if the head of the file lacks it.
func BucketsWithout(path string) (without string) {
	br, closer, err := OpenText(path)
	if err != nil {
		return ""
	}
	defer closer.Close()
	s := newScanner(br)
	_ = s.eachMember(func(_ int, key string) (bool, error) { // a file that cannot be read has no such member
		if !slices.Contains([]string{"version", "seed", "without"}, key) {
			return false, nil // the head ends here
		}
		raw, _, err := s.nextValue()
		if key == "without" && json.Unmarshal(raw, &without) != nil {
			without = ""
		}
		return true, err
	})
	return Clip(without)
}

// checkVersion returns an error for a version other than bucketsVersion.
func checkVersion(raw []byte) error {
	var version int
	if json.Unmarshal(raw, &version) != nil || version != bucketsVersion {
		return fmt.Errorf("version is %s, expected %d", Clip(string(raw)), bucketsVersion)
	}
	return nil
}

// add adds an element of "columns" to the buckets, after calling each function of trim with each candidate (see
// [ReadBuckets]). It passes harmless problems to note.
func (b Buckets) add(raw []byte, trim []func(*Candidate), note func(error)) error {
	var c BucketColumn
	if err := Decode(raw, &c); err != nil {
		return err
	}
	if slices.Contains([]string{c.DB, c.Table, c.Column}, "") {
		return errors.New(`lacks "db_id", "table" or "column", expected all three`)
	}
	id := c.ID().Key()
	bucket, repeated := b[id]
	if repeated {
		note(fmt.Errorf("column %s is there already; the lists are joined", c.ID()))
	}
	for _, side := range Sides() {
		var usable []Candidate
		for _, candidate := range *side.Of(&Bucket{c.Replace, c.Add}) {
			ok, doubt := normalizeCandidate(&candidate)
			if doubt != nil {
				note(fmt.Errorf("%s: %w", c.ID(), doubt))
			}
			if !ok {
				continue
			}
			for _, t := range trim {
				t(&candidate)
			}
			usable = append(usable, candidate)
		}
		list := side.Of(&bucket)
		*list = mergeCandidates(*list, usable)
	}
	b[id] = bucket
	return nil
}

// normalizeCandidate folds the name of a candidate, which people may have edited, and replaces an unknown type by Others.
// usable is false if the name cannot name a column. doubt is the reason for that, or the unknown type; else nil.
func normalizeCandidate(c *Candidate) (usable bool, doubt error) {
	c.Name = strings.ToLower(strings.Join(strings.Fields(c.Name), " "))
	if err := checkCandidateName(c.Name); err != nil {
		return false, fmt.Errorf("candidate %q %w; it is left out", Clip(c.Name), err)
	}
	if c.Type == "" {
		return true, nil
	}
	typ, isType := parseType(string(c.Type))
	if !isType {
		doubt = fmt.Errorf(`candidate %q has the type %q, expected text, number, time, boolean or others; taken as "others"`, Clip(c.Name), Clip(string(c.Type)))
	}
	c.Type = typ
	return true, doubt
}

// maxCandidateName bounds the name of a candidate, in bytes.
const maxCandidateName = 256

// checkCandidateName returns an error for a name that cannot name a column.
func checkCandidateName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty, expected a name")
	case len(name) > maxCandidateName:
		return fmt.Errorf("has %d bytes, expected %d at most", len(name), maxCandidateName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("holds a control character, expected none")
	}
	return nil
}

// ReadAnyBuckets reads a file of buckets, plain or gzip: a buckets.json, or one of ADVETA's files,
// whose kind follows from its name (see [SideOf]). Names for columns that dbs lack are reported as
// notes. For trim see [ReadBuckets]; it does not apply to ADVETA's files.
func ReadAnyBuckets(path string, dbs []*Database, report func(error), trim ...func(*Candidate)) (Buckets, error) {
	br, closer, err := OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	if _, err := br.Peek(1); err != nil && err != io.EOF { // damaged gzip
		return nil, fileError(path, err)
	}
	switch firstKey(br) {
	case "version", "seed", "columns": // the members with which a buckets.json may begin
		buckets, err := ReadBuckets(br, path, report, trim...)
		noteUnknown(path, dbs, buckets, report)
		return buckets, err
	}
	kind, ok := SideOf(path)
	if !ok {
		return nil, fmt.Errorf(`%s: is no buckets.json, expected "rpl" or "add" as a word of its name if it is a file of ADVETA`, path)
	}
	return ReadADVETA(br, path, kind, dbs, report)
}

// firstKey returns the first key of a JSON object, or "", without consuming anything.
func firstKey(r *bufio.Reader) string {
	head, _ := r.Peek(512)
	key := ""
	s := newScanner(strings.NewReader(string(head)))
	_ = s.eachMember(func(_ int, k string) (bool, error) { // an error leaves the key empty
		key = k
		return false, nil
	})
	return key
}

// noteUnknown reports, as notes, the columns of buckets that their databases lack, and in one note the databases that dbs lack.
func noteUnknown(path string, dbs []*Database, buckets Buckets, report func(error)) {
	byID := lists.Index(dbs, func(db *Database) string { return db.ID })
	var elsewhere []string // ids of databases that dbs lack
	for _, id := range slices.SortedFunc(maps.Keys(buckets), ColumnID.compare) {
		db := byID[id.DB]
		if db == nil {
			if !slices.Contains(elsewhere, id.DB) {
				elsewhere = append(elsewhere, id.DB)
			}
			continue
		}
		if _, ok := db.Lookup(id.Table, id.Column); !ok {
			report(Note(fmt.Errorf("%s: column %s is unknown, expected one of tables.json", path, id)))
		}
	}
	if len(elsewhere) > 0 {
		some := Clip(strings.Join(elsewhere, ", "))
		report(Note(fmt.Errorf("%s: the names for other databases (%s) are not used, expected databases that the split asks about", path, some)))
	}
}
