package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Suite is a stored test suite.
type Suite struct {
	dir      string // of the manifest
	Manifest *Manifest
	schemas  map[string]*Schema // by db_id
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
			if err := s.check(schema, db); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// check returns an error if the manifest names a database outside the folder of its schema, or
// one that is missing.
func (s *Suite) check(schema *Schema, db Database) error {
	rel := filepath.Join(schema.ID, db.File)
	if !filepath.IsLocal(rel) || filepath.Dir(rel) != schema.ID || filepath.Base(rel) != db.File {
		return fmt.Errorf("%s: database %q of %q: expected the names of a file and of its folder", filepath.Join(s.dir, ManifestFile), db.File, schema.ID)
	}
	if _, err := os.Stat(s.path(schema, db)); err != nil {
		return fmt.Errorf("%w; expected all databases of %s", err, ManifestFile)
	}
	return nil
}

// path returns the path of a database of a schema.
func (s *Suite) path(schema *Schema, db Database) string {
	return filepath.Join(s.dir, "database", schema.ID, db.File)
}

// For returns the databases on which predictions for a gold query are judged, in the
// order in which to try them. It leaves out databases on which the gold's answer is not
// determined. Those that distinguish the gold's own neighbours come first, and the data
// set's own content comes last: its tables are the longest, and a wrong prediction often
// joins them without a condition. For a query that is not in the suite it returns all
// databases of the schema; nil for an unknown id, and for a gold that is determined on no
// database or has no rows on any.
func (s *Suite) For(dbID, gold string) []string {
	schema := s.schemas[dbID]
	if schema == nil {
		return nil
	}
	var g Gold // stays zero for a query that is not in the suite
	if i := slices.IndexFunc(schema.Golds, func(g Gold) bool { return g.SQL == gold }); i >= 0 {
		g = schema.Golds[i]
	}
	if g.Empty {
		return nil
	}
	var own, others, content []string // databases that distinguish the gold's neighbours, further random ones, the data set's content
	for d, db := range schema.Databases {
		path := s.path(schema, db)
		switch {
		case slices.Contains(g.Undetermined, d): // not used
		case db.Tried == 0: // the data set's own content
			content = append(content, path)
		case slices.Contains(g.Tells, d): // distinguishes some of the gold's neighbours
			own = append(own, path)
		default:
			others = append(others, path)
		}
	}
	return slices.Concat(own, others, content)
}
