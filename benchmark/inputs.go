package benchmark

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
)

// Input is a file that a build was made from.
type Input struct {
	Role   Role   `json:"role"`
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // empty for a folder, or for the name of a model

	// Without lists, separated by commas, the parts that names were found without.
	Without string `json:"without,omitempty"`
}

// Role is what an input is used for.
type Role string

// The roles of inputs.
const (
	RoleSchemas   Role = "schemas"
	RoleExamples  Role = "examples"
	RoleDatabases Role = "databases" // one hash of all SQLite files
	RoleNames     Role = "names"     // for columns, from --buckets
	RoleResource  Role = "resource"  // what a flag of its own names: vectors, recorded edits, …
)

// InputNames returns the names of the inputs with that role.
func InputNames(inputs []Input, role Role) []string {
	return lists.Map(InputsOf(inputs, role), func(in Input) string { return in.Name })
}

// HashData hashes the schemas and the examples of a data directory.
func HashData(data, split string) ([]Input, error) {
	files, err := dataset.InputFiles(data, split)
	if err != nil {
		return nil, err
	}
	var inputs []Input
	for i, role := range []Role{RoleSchemas, RoleExamples} {
		in, err := HashInput(role, files[i], filepath.Join(data, files[i]))
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// HashDatabases returns one hash of the SQLite files of units, under the name
// "database".
func HashDatabases(units []*dataset.Unit) (Input, error) {
	h := sha256.New()
	for _, u := range units {
		if !dataset.IsFile(u.DB.SQLite) { // none, or a folder, which opening it reports
			continue
		}
		in, err := HashInput("", u.DB.ID, u.DB.SQLite)
		if err != nil {
			return Input{}, err
		}
		fmt.Fprintln(h, in.Name, in.SHA256)
	}
	return Input{Role: RoleDatabases, Name: "database", SHA256: fmt.Sprintf("%x", h.Sum(nil))}, nil
}

// HashInput returns the file at path as an input with its hash, under the given name, which does not depend on
// the folder of the file.
func HashInput(role Role, name, path string) (Input, error) {
	f, err := os.Open(path)
	if err != nil {
		return Input{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Input{}, fmt.Errorf("%s: %w", path, err)
	}
	return Input{Role: role, Name: name, SHA256: fmt.Sprintf("%x", h.Sum(nil))}, nil
}

// HashesOf returns the sorted hashes of files, each cut to 12 digits, separated by commas.
func HashesOf(paths []string) (string, error) {
	hashed, err := HashFiles(paths...)
	hashes := lists.Map(hashed, func(in Input) string { return in.SHA256[:min(12, len(in.SHA256))] })
	slices.Sort(hashes)
	return strings.Join(hashes, ","), err
}

// HashFiles returns paths as inputs of [RoleResource]. Folders and names of models have no hash.
func HashFiles(paths ...string) ([]Input, error) {
	var out []Input
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			out = append(out, Input{Role: RoleResource, Name: filepath.Base(path)})
			continue
		}
		in, err := HashInput(RoleResource, filepath.Base(path), path)
		if err != nil {
			return nil, err
		}
		out = append(out, in)
	}
	return out, nil
}

// ReadBuckets reads and merges files of names for the columns of units: buckets.json or ADVETA's
// own. It returns nil for no file, and an error where no name is for a column of the units.
func ReadBuckets(paths []string, units []*dataset.Unit, report func(error)) (dataset.Buckets, []Input, error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	dbs := dataset.Databases(units)
	var all []dataset.Buckets
	var inputs []Input
	for _, path := range paths {
		b, err := dataset.ReadAnyBuckets(path, dbs, report)
		if err != nil {
			return nil, nil, err
		}
		in, err := HashInput(RoleNames, filepath.Base(path), path)
		if err != nil {
			return nil, nil, err
		}
		in.Without = dataset.BucketsWithout(path)
		all, inputs = append(all, b), append(inputs, in)
	}
	merged := dataset.MergeBuckets(all...)
	for _, db := range dbs {
		for range dataset.BucketColumns(db, merged) { // one column with names is enough
			return merged, inputs, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: has no name for a column of the data set, expected buckets made for it", strings.Join(paths, ", "))
}
