package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/exact"
	"github.com/tabperturb/tabperturb/evaluate/execution"
	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/testkit/memtest"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// The bounds of the test on what one attack may do. With a longer limit the same
// test shows what the default limits let happen: -limit 10s.
var limit = flag.Duration("limit", 100*time.Millisecond, "time limit of each hostile prediction")

const (
	slack     = time.Minute // for stopping, on a busy machine
	plugging  = 5           // time limits that trying the gold's constants may take
	maxMemory = 3 << 29     // bytes of the whole process, at its highest
	maxDetail = 1000        // bytes of a reason that is printed
)

// attackEnv holds the folder that a child process attacks itself in. A process of
// its own has a memory of its own to measure, and its folders for temporary files
// can be set: the engine reads those from the environment only once.
const attackEnv = "CONFORMANCE_ATTACK_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(attackEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	flag.Parse()
	if err := attackAll(context.Background(), dir, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// damage is what an attack did.
type damage struct {
	Name    string
	Verdict verdict.Verdict
	Reason  string
	Detail  string
	Time    time.Duration // of execution
	Limit   time.Duration // that it was given
	Parsing time.Duration // of exact match, in both modes
	Memory  int64         // bytes, the highest; 0 where the system does not tell
	Touched bool          // a file or folder changed
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("bounds of time and memory are not those of a race detector's run")
	}
	attacks, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, sub := range []string{"tmp", "work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-limit", limit.String())
	cmd.Dir = filepath.Join(dir, "work")
	tmp := filepath.Join(dir, "tmp")
	cmd.Env = append(os.Environ(), attackEnv+"="+dir, "TMPDIR="+tmp, "SQLITE_TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v\n%.4000s", err, stderr.Bytes())
	}
	var slowest time.Duration
	var highest int64
	lines := bufio.NewScanner(bytes.NewReader(out))
	n := 0
	for ; lines.Scan(); n++ {
		var d damage
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		t.Logf("%8v %8v %5d MB  %-50s %s: %.60s", d.Time.Round(time.Millisecond), d.Parsing.Round(time.Millisecond), d.Memory>>20, d.Name, d.Reason, d.Detail)
		d.check(t)
		slowest, highest = max(slowest, d.Time), max(highest, d.Memory)
	}
	if n != len(attacks) {
		t.Errorf("%d of %d attacks were judged", n, len(attacks))
	}
	t.Logf("%d attacks; slowest %v at a limit of %v, highest memory %d MB", n, slowest.Round(time.Millisecond), *limit, highest>>20)
}

// chosen are the attacks of the test: all in make quality, else every twelfth.
func chosen() ([]*Attack, error) {
	attacks, err := Hostile()
	every := shared.Every(12)
	some := make([]*Attack, 0, len(attacks)/every+1)
	for i := 0; i < len(attacks); i += every {
		some = append(some, attacks[i])
	}
	return some, err
}

// check fails the test where an attack did more than get a verdict of wrong.
func (d *damage) check(t *testing.T) {
	t.Helper()
	if d.Verdict != verdict.Wrong || d.Reason == "" {
		t.Errorf("%s: verdict %v, reason %q, expected wrong with a reason", d.Name, d.Verdict, d.Reason)
	}
	if len(d.Detail) > maxDetail || !utf8.ValidString(d.Detail) || strings.ContainsFunc(d.Detail, unicode.IsControl) {
		t.Errorf("%s: detail of %d bytes %.100q, expected one printable line of at most %d", d.Name, len(d.Detail), d.Detail, maxDetail)
	}
	if d.Time > d.Limit+slack || d.Parsing > slack {
		t.Errorf("%s: took %v to run and %v to parse, expected %v and little more", d.Name, d.Time, d.Parsing, d.Limit)
	}
	if d.Memory > maxMemory {
		t.Errorf("%s: took %d MB, expected at most %d", d.Name, d.Memory>>20, maxMemory>>20)
	}
	if d.Touched {
		t.Errorf("%s: touched a file", d.Name)
	}
}

// attackAll puts every attack to both metrics and writes a line of JSON for each.
func attackAll(ctx context.Context, dir string, out *os.File) error {
	attacks, err := chosen()
	if err != nil {
		return err
	}
	s, err := Load()
	if err != nil {
		return err
	}
	dbs := map[string]*dataset.Database{}
	for _, a := range attacks {
		if dbs[a.Database] != nil {
			continue
		}
		p := &Pair{ID: a.Database, Database: a.Database}
		if err := s.createDatabase(ctx, dir, p); err != nil {
			return err
		}
		db := s.Schema(p)
		db.SQLite = dataset.SQLitePath(dir, db.ID)
		dbs[a.Database] = db
	}
	enc := json.NewEncoder(out)
	for _, a := range attacks {
		d, err := attack(ctx, a, dbs[a.Database], dir)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		if err := enc.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

func attack(ctx context.Context, a *Attack, db *dataset.Database, dir string) (*damage, error) {
	before, err := snap(dir, true)
	if err != nil {
		return nil, err
	}
	memtest.ForgetPeak()
	d := &damage{Name: a.Name, Limit: *limit}
	if a.PlugValue {
		d.Limit *= plugging
	}
	start := time.Now()
	gold := exact.NewSchema(db).Gold(a.Gold)
	gold.Judge(a.SQL, false)
	gold.Judge(a.SQL, true)
	d.Parsing = time.Since(start)

	file, err := execution.Open(ctx, db.SQLite)
	if err != nil {
		return nil, err
	}
	o := execution.Options{PlugValue: a.PlugValue}
	o.Limits.Time = *limit
	start = time.Now()
	judged, err := execution.NewGold(a.Gold, o).Judge(ctx, a.SQL, file)
	d.Time = time.Since(start)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	d.Verdict, d.Reason, d.Detail = judged.Verdict, string(judged.Reason), judged.Detail
	settle()
	d.Memory = memtest.Peak("self")
	after, err := snap(dir, true)
	d.Touched = !maps.Equal(before, after)
	return d, err
}

// settle waits for a query that was given up but has not ended, so that what it
// takes is not laid at the next attack's door.
func settle() {
	for end := time.Now().Add(time.Second); runtime.NumGoroutine() > 1 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}
