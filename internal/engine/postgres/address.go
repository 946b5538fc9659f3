// Package postgres runs SQL on a PostgreSQL server, read only.
//
// The content of a database is a small file: a line with the address of the server, without a password, and in a copy with
// changes a line of JSON for each table that differs. A table that differs is a common table expression in front of every
// query, so nothing is written on the server, and a role that may SELECT is enough.
package postgres

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tabperturb/tabperturb/internal/engine/prefix"
	"github.com/tabperturb/tabperturb/internal/kit/outdir"
)

// Ext is the ending of the name of a file that names a database on a server.
const Ext = ".postgres"

// maxFile bounds the bytes of such a file.
const maxFile = 64 << 20

// IsAddress reports whether text is the address of a server rather than a path: postgres://….
func IsAddress(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// secrets are the parameters of an address that no output may have.
var secrets = []string{"password", "sslpassword"}

// WriteAddress writes the file of a database on a server to path(name), and returns that name: the database's, with "_" for slashes.
// A password in the address is left out of the file and returned.
func WriteAddress(path func(name string) string, address string) (name, password string, err error) {
	u, err := url.Parse(address)
	if err != nil || !IsAddress(address) {
		return "", "", errors.New("the address of the server cannot be read, expected postgres://USER@HOST:PORT/DATABASE") // without the address, which may have a password
	}
	query := u.Query()
	password = query.Get("password")
	for _, secret := range secrets {
		query.Del(secret)
	}
	if p, ok := u.User.Password(); ok {
		u.User, password = url.User(u.User.Username()), p
	}
	u.RawQuery, u.Path = query.Encode(), cmp.Or(u.Path, "/") // an address of nothing keeps its slashes
	c, err := config(u.String())
	if err != nil {
		return "", "", err
	}
	name = c.ConnConfig.Database
	if name == "" {
		name = c.ConnConfig.User // as the server does
	}
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\`, r) {
			return '_'
		}
		return r
	}, name)
	return name, password, (&content{address: u.String()}).write(path(name))
}

// config parses an address. What it lacks comes from the environment, the service file and the password file.
func config(address string) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("%w, expected postgres://USER@HOST:PORT/DATABASE", err) // pgx masks the password
	}
	return c, nil
}

// content is the content of a file that names a database on a server.
type content struct {
	address string
	tables  []prefix.Table // that differ from the server's
}

// readContent reads the file at path.
func readContent(path string) (*content, error) {
	f, err := os.Open(path)
	if err != nil {
		if in := (*fs.PathError)(nil); errors.As(err, &in) {
			err = in.Err // without the path, which the message has
		}
		return nil, fmt.Errorf("%s: leads nowhere, expected a file with the address of a PostgreSQL server: %w", path, err)
	}
	defer f.Close()
	lines := bufio.NewReader(io.LimitReader(f, maxFile))
	address, err := lines.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &content{address: strings.TrimSpace(address)}
	if !IsAddress(c.address) {
		return nil, fmt.Errorf("%s:1: is no address, expected postgres://USER@HOST:PORT/DATABASE", path)
	}
	decoder := json.NewDecoder(lines)
	for { // table i is on line i+2, after the address
		var t prefix.Table
		switch err := decoder.Decode(&t); {
		case errors.Is(err, io.EOF):
			return c, nil
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w, expected a table as JSON", path, len(c.tables)+2, err)
		}
		if err := allowTable(&t); err != nil {
			return nil, fmt.Errorf("%s:%d: table %s: %w", path, len(c.tables)+2, t.Name, err)
		}
		c.tables = append(c.tables, t)
	}
}

// replace stores t in the place of the table of the same name in c, if there is one, and keeps its Of, the table of the server that it
// changes. Otherwise t changes the server's table of that name.
func (c *content) replace(t prefix.Table) {
	i := slices.IndexFunc(c.tables, func(o prefix.Table) bool { return o.Name == t.Name })
	if i < 0 {
		t.Of = t.Name
		c.tables = append(c.tables, t)
		return
	}
	t.Of, c.tables[i] = c.tables[i].Of, t
}

// write writes the file at path, whole or not at all: the address, then a line of JSON for each table.
func (c *content) write(path string) error {
	return outdir.Replace(path, func(tmp string) error {
		var b strings.Builder
		b.WriteString(c.address + "\n")
		lines := json.NewEncoder(&b)
		lines.SetEscapeHTML(false)
		for _, t := range c.tables {
			if err := lines.Encode(t); err != nil {
				return err
			}
		}
		return os.WriteFile(tmp, []byte(b.String()), 0o666)
	})
}
