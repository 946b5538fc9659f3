package formats

import "path/filepath"

// folderPatterns lists patterns of files that show the format of a folder, with what they hold.
var folderPatterns = []struct{ pattern, holds, format string }{
	{"*_tables.json*", "BIRD's schemas", "bird"},
	{"*.tables.jsonl*", "WikiSQL's tables", "wikisql"},
	{"wikisql-*.json*", "WikiSQL's tables", "wikisql"},
	{"csv/*-csv", "WikiTableQuestions' tables", "wtq"},
	{"*squall.json*", "Squall's questions", "squall"},
	{"*.sqlite", "databases", "folder"},
	{"*.sqlite3", "databases", "folder"},
	{"*.db", "databases", "folder"},
	{"*/*.sqlite", "databases", "folder"},
}

// Guess returns the format of a folder that is no data directory, and what shows it: "WikiSQL's
// tables" for wikisql. It returns "" for a data directory and for a folder of no known format.
func Guess(dir string) (holds, format string) {
	if tables, err := filepath.Glob(filepath.Join(dir, "tables.json*")); err != nil || len(tables) > 0 {
		return "", ""
	}
	for _, kind := range folderPatterns {
		if found, _ := filepath.Glob(filepath.Join(dir, kind.pattern)); len(found) > 0 {
			return kind.holds, kind.format
		}
	}
	return "", ""
}
