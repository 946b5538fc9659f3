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
			if rel := filepath.Join(schema.ID, db.File); !filepath.IsLocal(rel) || filepath.Dir(rel) != schema.ID || filepath.Base(rel) != db.File {
				return nil, fmt.Errorf("%s: database %q of %q: expected the names of a file and of its folder", filepath.Join(dir, ManifestFile), db.File, schema.ID)
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

// For returns the databases on which a prediction for the gold query is to be
// judged, in the order in which to try them: those of its schema on which the gold's
// answer is determined, the ones that tell its own neighbours apart first, and the
// data set's own content last, for its tables are the longest and a wrong prediction
// often joins them without a condition. For a query that the suite was not made for
// they are all of them. They are nil for an id that the suite does not have, and for a
// query that is determined on none or has no rows on any.
func (s *Suite) For(dbID, gold string) []string {
	schema := s.schemas[dbID]
	if schema == nil {
		return nil
	}
	var g Gold
	if i := slices.IndexFunc(schema.Golds, func(g Gold) bool { return g.SQL == gold }); i >= 0 {
		g = schema.Golds[i]
	}
	if g.Empty {
		return nil
	}
	var first, then, content []string
	for d, db := range schema.Databases {
		path := s.path(schema, db)
		switch {
		case slices.Contains(g.Undetermined, d):
		case db.Tried == 0:
			content = append(content, path)
		case slices.Contains(g.Tells, d):
			first = append(first, path)
		default:
			then = append(then, path)
		}
	}
	return slices.Concat(first, then, content)
}
