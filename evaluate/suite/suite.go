package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Suite is a stored test suite.
type Suite struct {
	dir      string
	Manifest *Manifest
	schemas  map[string]*Schema
}

// OpenSuite opens the suite in a folder that [Distill] wrote. All its databases must
// be there.
func OpenSuite(dir string) (*Suite, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	s := &Suite{dir: dir, Manifest: m, schemas: map[string]*Schema{}}
	for i := range m.Schemas {
		schema := &m.Schemas[i]
		s.schemas[schema.ID] = schema
		for _, db := range schema.Databases {
			path := s.path(schema, db)
			if filepath.Base(db.File) != db.File {
				return nil, fmt.Errorf("%s: database %q of %s: expected the name of a file", filepath.Join(dir, ManifestFile), db.File, schema.ID)
			}
			if _, err := os.Stat(path); err != nil {
				return nil, fmt.Errorf("%w; expected all databases of %s", err, ManifestFile)
			}
		}
	}
	return s, nil
}

func (s *Suite) path(schema *Schema, db Database) string {
	return filepath.Join(s.dir, "database", schema.ID, db.File)
}

// Databases returns the paths of the databases of a database id, those that tell
// most neighbours apart first, so that wrong predictions are found early. It is
// nil for an id that the suite does not have.
func (s *Suite) Databases(dbID string) []string {
	schema := s.schemas[dbID]
	if schema == nil {
		return nil
	}
	var paths []string
	for _, db := range schema.Databases {
		paths = append(paths, s.path(schema, db))
	}
	return paths
}

// For returns the databases on which a prediction for the gold query is to be
// judged: those of [Suite.Databases] on which the gold's answer is determined, the
// ones that tell its own neighbours apart first. For a query that the suite was not
// made for, or that is determined on none, they are all of them.
func (s *Suite) For(dbID, gold string) []string {
	all := s.Databases(dbID)
	if all == nil {
		return nil
	}
	golds := s.schemas[dbID].Golds
	i := slices.IndexFunc(golds, func(g Gold) bool { return g.SQL == gold })
	if i < 0 {
		return all
	}
	g := golds[i]
	var paths []string
	for _, first := range []bool{true, false} {
		for d, path := range all {
			if slices.Contains(g.Tells, d) == first && !slices.Contains(g.Undetermined, d) {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return all
	}
	return paths
}
