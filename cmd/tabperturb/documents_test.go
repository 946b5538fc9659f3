package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestDocuments holds the documents of the repository to what a reader needs: a
// short README, tables that fit a screen, links that lead somewhere, commands
// that exist.
func TestDocuments(t *testing.T) {
	const readmeLines, rowWidth = 150, 200
	for path, text := range documents(t) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if path == "README.md" && len(lines) > readmeLines {
			t.Errorf("%s has %d lines, expected at most %d: move some to docs", path, len(lines), readmeLines)
		}
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); strings.HasPrefix(line, "|") && n > rowWidth {
				t.Errorf("%s:%d: a row of %d characters, expected at most %d", path, i+1, n, rowWidth)
			}
		}
		for _, link := range markdownLink.FindAllStringSubmatch(text, -1) {
			checkLink(t, path, link[1])
		}
		for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
			if !strings.HasPrefix(line, "tabperturb ") {
				continue
			}
			if err := parseLine(line); err != nil {
				t.Errorf("%s: %q: %v", path, line, err)
			}
		}
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// checkLink looks for the file, and the heading, that a link of a document names.
func checkLink(t *testing.T, from, link string) {
	t.Helper()
	if strings.Contains(link, "://") {
		return
	}
	to, anchor, _ := strings.Cut(link, "#")
	path := filepath.Join(filepath.Dir(from), to)
	if to == "" {
		path = from
	}
	info, err := os.Stat(filepath.Join("..", "..", path))
	if err != nil {
		t.Errorf("%s: link to %s, which is not there", from, link)
		return
	}
	if anchor == "" || info.IsDir() {
		return
	}
	data, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") && headingAnchor(line) == anchor {
			return
		}
	}
	t.Errorf("%s: link to %s, which has no such heading", from, link)
}

// headingAnchor is the name by which a link finds a heading.
func headingAnchor(heading string) string {
	name := strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	return strings.ReplaceAll(notAnchor.ReplaceAllString(name, ""), " ", "-")
}

var notAnchor = regexp.MustCompile(`[^\pL\pN _-]`)

// TestNamedPaths looks for every file and folder that the documents for
// developers name.
func TestNamedPaths(t *testing.T) {
	docs := documents(t)
	for _, name := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		named := namedPath.FindAllStringSubmatch(docs[name], -1)
		if len(named) < 10 {
			t.Errorf("%s names %d files and folders, expected more: are they still in backquotes?", name, len(named))
		}
		for _, m := range named {
			if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

// namedPath is a path in backquotes: lower-case words parted by slashes.
var namedPath = regexp.MustCompile("`([a-z][a-z0-9_.-]*/[a-z0-9_./-]*)`")

// documents are the texts for readers, by path from the root; not test data.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	docs := map[string]string{}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "tabperturb-demo"):
			return fs.SkipDir
		case d.Name() == "NOTICE" || filepath.Ext(path) == ".md":
			data, err := fs.ReadFile(root, path)
			docs[path] = string(data)
			return err
		}
		return nil
	})
	if err != nil || docs["README.md"] == "" {
		t.Fatalf("README.md: %v", err)
	}
	return docs
}
