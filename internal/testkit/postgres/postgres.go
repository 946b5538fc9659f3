// Package postgres starts a private PostgreSQL server for a test: a new cluster in a temporary folder that listens on a
// Unix socket alone. The product never needs it.
package postgres

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// startTimeout bounds the time that a server may take until it answers.
const startTimeout = 30 * time.Second

// Start starts a server of its own and returns the URL of its database postgres as a superuser. The server stops at
// the end of the test. Start skips the test where PostgreSQL is not installed.
func Start(tb testing.TB) (dsn string) {
	tb.Helper()
	return New(tb).DSN
}

// Server is a server that a test can stop and run again.
type Server struct {
	DSN     string // of its database postgres as a superuser
	Dir     string // that has the folder data, and the socket
	command []string
	running *exec.Cmd
	log     strings.Builder
}

// New starts a server on a new cluster, as [Start] does, and returns it.
func New(tb testing.TB) *Server {
	tb.Helper()
	bin := binaries(tb)
	dir, prefix := folder(tb)
	data := filepath.Join(dir, "data")
	initdb := slices.Concat(prefix, []string{filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"})
	if out, err := exec.Command(initdb[0], initdb[1:]...).CombinedOutput(); err != nil {
		tb.Fatalf("initdb: %v\n%s", err, out)
	}
	return runIn(tb, dir, prefix)
}

// runIn starts a server on the cluster in dir/data, with its socket in dir, and stops it at the end of the test. prefix comes before
// its command ([asServerUser]).
func runIn(tb testing.TB, dir string, prefix []string) *Server {
	tb.Helper()
	s := &Server{Dir: dir}
	s.command = slices.Concat(prefix, []string{filepath.Join(binaries(tb), "postgres"), "-D", filepath.Join(dir, "data"), "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB"})
	s.DSN = (&url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres", RawQuery: url.Values{"host": {dir}}.Encode()}).String()
	tb.Cleanup(func() { s.Stop(os.Interrupt) }) // a fast shutdown
	s.Run(tb)
	return s
}

// Standby starts a physical standby, a read-only copy of the server as it is, and returns it.
func (s *Server) Standby(tb testing.TB) *Server {
	tb.Helper()
	dir, prefix := folder(tb)
	backup := slices.Concat(prefix, []string{Program(tb, "pg_basebackup"), "-D", filepath.Join(dir, "data"), "-h", s.Dir, "-U", "postgres", "-R", "-c", "fast", "--no-sync"})
	if out, err := exec.Command(backup[0], backup[1:]...).CombinedOutput(); err != nil {
		tb.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	return runIn(tb, dir, prefix)
}

// folder makes a folder for a cluster, which is removed at the end of the test. prefix comes before commands that use the
// cluster ([asServerUser]).
func folder(tb testing.TB) (dir string, prefix []string) {
	tb.Helper()
	dir, err := os.MkdirTemp("", "tabperturb-pg-") // short: the path of a socket has 107 bytes
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir, asServerUser(tb, dir)
}

// Run starts the server, which must not be running, and returns once it answers. A server that does not fails the test.
func (s *Server) Run(tb testing.TB) {
	tb.Helper()
	s.running = exec.Command(s.command[0], s.command[1:]...)
	s.running.Stderr = &s.log
	if err := s.running.Start(); err != nil {
		tb.Fatal(err)
	}
	if err := await(s.DSN); err != nil {
		s.running.Process.Kill()
		s.running.Wait()
		tb.Fatalf("postgres: %v\n%s", err, &s.log)
	}
}

// Signal sends a signal to the server, and not to the processes of its connections.
func (s *Server) Signal(signal os.Signal) error { return s.running.Process.Signal(signal) }

// PID returns the number of the server's process, whose children serve connections.
func (s *Server) PID() int { return s.running.Process.Pid }

// Stop stops the server by a signal, such as SIGQUIT, after which it recovers as from a crash.
func (s *Server) Stop(signal os.Signal) {
	_ = s.Signal(signal)
	_ = s.running.Wait()
}

// binaries returns the folder of PostgreSQL's programs: that of initdb in the PATH, else the newest version's in Debian's
// folder. It skips the test if there is none.
func binaries(tb testing.TB) string {
	tb.Helper()
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		tb.Skip("skipped: PostgreSQL is not installed (Debian's package postgresql)")
	}
	version := func(path string) int { // 16 of /usr/lib/postgresql/16/bin/initdb
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) }))
}

// Program returns the path of one of PostgreSQL's programs, such as pg_dump.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	return filepath.Join(binaries(tb), name)
}

// asServerUser returns the prefix of a command that runs it as a user who may own a cluster: as root, who may not, it is setpriv for
// the user postgres, who gets dir. With setpriv the command also ends when the test process dies. Without it, the prefix is
// nil; root then skips the test.
func asServerUser(tb testing.TB, dir string) []string {
	tb.Helper()
	setpriv, err := exec.LookPath("setpriv")
	isRoot := os.Getuid() == 0
	switch {
	case err != nil && isRoot:
		tb.Skip("skipped: PostgreSQL refuses to run as root, and there is no setpriv")
	case err != nil:
		return nil
	case !isRoot:
		return []string{setpriv, "--pdeathsig", "QUIT"}
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		tb.Skip("skipped: PostgreSQL refuses to run as root, and there is no user postgres")
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		tb.Fatal(err)
	}
	return []string{setpriv, "--reuid", u.Uid, "--regid", u.Gid, "--clear-groups", "--pdeathsig", "QUIT"}
}

// await returns nil as soon as the server answers, or the last error of connecting after [startTimeout].
func await(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, dsn)
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Connect returns a connection that closes at the end of the test.
func Connect(tb testing.TB, dsn string) *pgx.Conn {
	tb.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// CreateDatabase creates an empty database on the server of dsn and returns its URL.
func CreateDatabase(tb testing.TB, dsn, name string) string {
	tb.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	execute(tb, dsn, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	u.Path = "/" + name
	return u.String()
}

// Load executes files of SQL statements, such as dumps, in the database of dsn.
func Load(tb testing.TB, dsn string, files ...string) {
	tb.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		execute(tb, dsn, string(text))
	}
}

// execute runs statements on a connection of its own.
func execute(tb testing.TB, dsn, sql string) {
	tb.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		tb.Fatal(err)
	}
}
