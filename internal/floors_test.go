package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors lists the folders of internal/, the lowest first. A package imports only its own floor and those below.
// The test kit stands apart: what it imports is free.
var floors = []string{"kit", "language", "engine", "learn", "remote", "study", "command"}

// TestFloors checks that no package of internal/ imports a higher floor, and that each has a floor.
func TestFloors(t *testing.T) {
	const module = "github.com/tabperturb/tabperturb/internal/"
	folders, err := filepath.Glob("*/")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if folder = filepath.Clean(folder); folder != "testkit" && !slices.Contains(floors, folder) {
			t.Errorf("internal/%s is no floor, expected one of %q", folder, floors)
		}
	}
	checked := 0
	for level, floor := range floors {
		walk := func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				rest, own := strings.CutPrefix(imported, module)
				if !own {
					continue
				}
				checked++
				name, _, _ := strings.Cut(rest, "/")
				if at := slices.Index(floors, name); at < 0 || at > level {
					t.Errorf("%s imports internal/%s, expected one of the floors %q", path, rest, floors[:level+1])
				}
			}
			return nil
		}
		if err := filepath.WalkDir(floor, walk); err != nil {
			t.Error(err)
		}
	}
	if checked < 100 {
		t.Errorf("%d imports checked, expected at least 100", checked)
	}
}
