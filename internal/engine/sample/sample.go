package sample

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the "sqlite" driver

	"github.com/tabperturb/tabperturb/internal/engine/sqlite"
)

//go:embed data/*.json data/*.sql data/*.txt corpus/*.jsonl
var files embed.FS

// Data returns the data set: tables.json and dev.json in Spider's format, one
// script DB_ID.sql a database that creates and fills it, and predictions.txt:
// answers to dev.json, one a line, with the mistakes and the harmless variants
// that are typical of models. They are made up for this sample.
func Data() fs.FS { return sub("data") }

// Corpus returns the web tables: one file DOMAIN.jsonl a domain.
func Corpus() fs.FS { return sub("corpus") }

// sub returns a folder of the embedded files.
func sub(dir string) fs.FS {
	fsys, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // dir is a constant of this file
	}
	return fsys
}

// WriteData writes the data set below dir as Spider has it: tables.json,
// dev.json, predictions.txt and database/DB_ID/DB_ID.sqlite. Missing folders are made, and
// files of these names are overwritten. The bytes written are always the same.
func WriteData(ctx context.Context, dir string) error {
	data := Data()
	entries, err := fs.ReadDir(data, ".")
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	for _, e := range entries {
		content, err := fs.ReadFile(data, e.Name())
		if err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		to := filepath.Join(dir, e.Name())
		if id, ok := strings.CutSuffix(e.Name(), ".sql"); ok {
			to = filepath.Join(dir, "database", id, id+".sqlite")
			if content, err = database(ctx, id, string(content)); err != nil {
				return fmt.Errorf("sample: %s: %w", path.Join("data", e.Name()), err)
			}
		}
		if err := write(to, content); err != nil {
			return fmt.Errorf("sample: %w", err)
		}
	}
	return nil
}

var built sync.Map // the SQLite files that were built, as []byte, by database id

// database returns the bytes of the SQLite file that a script makes. It builds the file of each id once.
func database(ctx context.Context, id, script string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if file, ok := built.Load(id); ok {
		return file.([]byte), nil
	}
	file, err := build(ctx, script)
	if err == nil {
		built.Store(id, file)
	}
	return file, err
}

// build runs a script in an empty database in memory and returns the bytes of its SQLite file.
func build(ctx context.Context, script string) (_ []byte, err error) {
	if err := sqlite.Configure(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	// Each connection to :memory: has a database of its own.
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN;\n"+script+"\nCOMMIT;"); err != nil {
		return nil, err
	}
	var image []byte
	err = conn.Raw(func(driverConn any) error {
		s, ok := driverConn.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return fmt.Errorf("the SQLite driver's %T cannot serialize a database", driverConn)
		}
		image, err = s.Serialize()
		return err
	})
	return image, err
}

// write writes a file and makes its folder.
func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o666)
}
