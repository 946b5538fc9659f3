package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInitPlace looks where init writes by default: never over, nor in, what it reads.
func TestInitPlace(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"dbs/in", "dbs.v2"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"shop.sqlite", "shop"} {
		if err := os.WriteFile(filepath.Join(top, file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	beside := filepath.Join(top, "dbs-tabperturb")
	for _, c := range []struct{ cwd, files, out, want string }{
		{".", "shop.sqlite", "", "shop"},
		{"dbs", "../shop.sqlite", "", "shop"},
		{".", "shop", "", "shop-tabperturb"},
		{".", "dbs", "", "dbs-tabperturb"},
		{".", "dbs/", "", "dbs-tabperturb"},
		{".", "dbs.v2", "", "dbs.v2-tabperturb"},
		{"dbs.v2", "../dbs", "", "dbs-tabperturb"},
		{"dbs", ".", "", beside},
		{"dbs/in", "..", "", beside},
		{".", "dbs", "first", "first"},
		{".", "dbs", "dbs/first", ""}, // refused
		{"dbs", ".", "first", ""},
	} {
		t.Chdir(filepath.Join(top, c.cwd))
		f := initFlags{files: c.files, out: c.out}
		err := f.place()
		if (err != nil) != (c.want == "") || err == nil && f.out != c.want {
			t.Errorf("init %s in %s, --out %q: %q, %v, expected %q", c.files, c.cwd, c.out, f.out, err, c.want)
		}
	}
}
