package sqlite

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	engine "modernc.org/sqlite/lib"
)

// TestConfigure checks, in processes of their own, that the allocator is installed by the first connection and not by the
// import, and that a process that used the engine before that opens nothing.
func TestConfigure(t *testing.T) {
	const role, flags = "TABPERTURB_CONFIGURE_TEST", engine.SQLITE_OPEN_READWRITE | engine.SQLITE_OPEN_CREATE
	path := filepath.Join(t.TempDir(), "new.sqlite")
	switch os.Getenv(role) {
	case "open":
		if allocator.FxMalloc != 0 {
			t.Error("the engine has an allocator before a connection is opened")
		}
		c, err := openConn(path, "", flags)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		if allocator.FxMalloc == 0 || c.memory.used.Load() == 0 {
			t.Error("the memory of the connection is not counted")
		}
	case "late":
		db, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Ping(); err != nil {
			t.Fatal(err)
		}
		if _, err := openConn(path, "", flags); err == nil || !strings.Contains(err.Error(), "cannot be bounded") {
			t.Errorf("error %v, expected one about the memory", err)
		}
	default:
		for _, r := range []string{"open", "late"} {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestConfigure$")
			cmd.Env = append(os.Environ(), role+"="+r)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", r, err, out)
			}
		}
	}
}
