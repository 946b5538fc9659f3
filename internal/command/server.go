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

// withServer writes a file with the address of a PostgreSQL database, which represents the database as a SQLite file would, and calls
// do with its path. The file is temporary. A password in the address is not written: the environment passes it to later connections.
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
	db, err := engine.Open(ctx, path) // reports early that the server cannot be reached or read
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Schema(ctx); err != nil {
		return err
	}
	return do(path)
}

// withContent calls do. If *folder, the value of --db, is the address of a PostgreSQL database, it first sets *folder to a folder that
// represents the database, and *server to the address without its password.
func withContent(ctx context.Context, folder, server *string, do func() error) error {
	if !engine.IsAddress(*folder) {
		return do()
	}
	return withServer(ctx, *folder, func(path string) error {
		address, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// The path is FOLDER/DB_ID/DB_ID.postgres, in the place of a SQLite file.
		*folder, *server = filepath.Dir(filepath.Dir(path)), strings.TrimSpace(string(address))
		return do()
	})
}

// needRows refuses databases on a server. what names the command or flag that makes their rows anew, for the message.
func needRows(units []*dataset.Unit, what string) error {
	for _, u := range units {
		if !engine.IsLocal(u.DB.SQLite) {
			return fmt.Errorf("%s: %s is on a server, expected SQLite files", what, u.DB.ID)
		}
	}
	return nil
}
