package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine"
)

// withServer calls do with the file DIR/NAME/NAME that stands for the database NAME at an address. A password in the address is used for as
// long as the process runs, and written nowhere.
func withServer(ctx context.Context, address string, do func(path string) error) error {
	dir, err := os.MkdirTemp("", "tabperturb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, password, err := engine.WriteAddress(dir, address)
	if err != nil {
		return err
	}
	if password != "" {
		if err := os.Setenv("PGPASSWORD", password); err != nil {
			return err
		}
	}
	db, err := engine.Open(ctx, path)
	if err != nil {
		return err
	}
	if _, err := db.Schema(ctx); err != nil {
		return err
	}
	return do(path)
}

// withContent calls do once *folder, the value of --db, is a folder: where it is the address of a database, one that stands for it. Then *server
// becomes the address without its password.
func withContent(ctx context.Context, folder, server *string, do func() error) error {
	if !engine.IsAddress(*folder) {
		return do()
	}
	return withServer(ctx, *folder, func(path string) error {
		address, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		*folder, *server = filepath.Dir(filepath.Dir(path)), strings.TrimSpace(string(address))
		return do()
	})
}

// needRows refuses databases on a server for a command, or a flag of one, that makes rows anew.
func needRows(units []*dataset.Unit, what string) error {
	for _, u := range units {
		if !engine.IsLocal(u.DB.SQLite) {
			return fmt.Errorf("%s: %s is on a server, expected SQLite files", what, u.DB.ID)
		}
	}
	return nil
}
