package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	engine "modernc.org/sqlite/lib"

	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
)

// engineFunctions returns the names of all functions of the engine.
func engineFunctions(t *testing.T) []string {
	t.Helper()
	c := memoryConn(t, openRaw)
	rows, err := c.all("PRAGMA function_list")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, row := range rows {
		names = append(names, row[0].Bytes())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func memoryConn(t *testing.T, open func(path, params string, flags int32) (*conn, error)) *conn {
	t.Helper()
	c, err := open("functions", "mode=memory", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

// longArguments are texts of n bytes on which functions may take long.
func longArguments(n int) []string {
	var object, other strings.Builder
	for i := 0; object.Len() < n-40 && other.Len() < n-40; i++ {
		fmt.Fprintf(&object, `"%x":1,`, i)
		fmt.Fprintf(&other, `"z%x":{},`, i)
	}
	return []string{
		strings.Repeat("a", n-1) + "b",
		strings.Repeat("1", n),
		strings.Repeat("0aF-", n/4),
		strings.Repeat("é", n/2),
		strings.Repeat("%d", n/2),
		"{" + object.String() + `"x":0}`,
		"{" + other.String() + `"y":0}`,
		"[" + strings.Repeat("1,", n/2-2) + "1]",
		strings.Repeat("[", 990) + strings.Repeat("]", 990),
		strings.Repeat(`{"a":`, 990) + "1" + strings.Repeat("}", 990),
		strings.Repeat("%a", 495) + "c",
		strings.Repeat("*[b-a]", 160) + "c",
		"$" + strings.Repeat(".a", 400),
	}
}

// TestFunctionTimes calls every function that the engine has with arguments as long as they
// may be: none goes on for long after its time is up, also where a generated column calls it.
func TestFunctionTimes(t *testing.T) {
	skipShort(t)
	args := longArguments(maxValue - 1<<10)
	schema := pets + "CREATE TABLE args (n INTEGER PRIMARY KEY, t TEXT);"
	for i, a := range args {
		schema += fmt.Sprintf("INSERT INTO args VALUES (%d, '%s');", i, a)
	}
	db := openDB(t, makeDB(t, schema))
	limits := sqldata.Limits{Time: 20 * time.Millisecond}
	const most = time.Second
	slowest := struct {
		time.Duration
		sql string
	}{}
	try := func(sql string) {
		start := time.Now()
		_, err := db.Query(t.Context(), sql, limits)
		if d := time.Since(start) - limits.Time; d > slowest.Duration {
			slowest.Duration, slowest.sql = d, sql
		}
		if errors.Is(err, sqldata.ErrTimeLimit) && db.left != nil {
			t.Errorf("%s: does not heed an interrupt", sql)
		}
	}
	arg := func(i int) string { return fmt.Sprintf("(SELECT t FROM args WHERE n = %d)", i) }
	some := shared.Every(3) // of the arguments, others for each function
	for k, f := range engineFunctions(t) {
		for i := k % some; i < len(args); i += some {
			try(fmt.Sprintf("SELECT length(%q(%s))", f, arg(i)))
			try(fmt.Sprintf("SELECT length(%q(%s, %s))", f, arg(i), arg(len(args)-4)))
			try(fmt.Sprintf("SELECT length(%q(%s, %s))", f, arg(i), arg((i+1)%len(args))))
		}
		try(fmt.Sprintf("SELECT length(%q(%s, %s, %s))", f, arg(0), arg(1), arg(0)))
		try(fmt.Sprintf("SELECT length(%q(%s%s))", f, arg(5), strings.Repeat(", '$.zz', 1", 60)))
	}
	if slowest.Duration > most {
		t.Errorf("%.200s\ngoes on for %v after its time is up, expected at most %v", slowest.sql, slowest.Duration, most)
	}
	t.Logf("the longest call goes on for %v: %.100s", slowest.Duration, slowest.sql)
}

// TestFunctionsElsewhere: what is not allowed is refused in a view and in a generated
// column too, and the engine's own functions do not come back.
func TestFunctionsElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hostile.sqlite")
	c, err := openRaw(path, "", engine.SQLITE_OPEN_READWRITE|engine.SQLITE_OPEN_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	err = c.exec(pets + `CREATE VIEW v AS SELECT unhex('00') AS x; CREATE TABLE g (id INTEGER, x TEXT AS (unhex('00', 'a')));
		INSERT INTO g (id) VALUES (1); CREATE INDEX i ON g (json_pretty(id));`)
	if c.close(); err != nil {
		t.Fatal(err)
	}
	db := openDB(t, path)
	for _, sql := range []string{"SELECT * FROM v", "SELECT * FROM g", "SELECT x FROM g", "SELECT \"UnHex\"('00')", "SELECT json_patch('{}', '{}')", "SELECT geopoly_svg('x')"} {
		if _, err := db.Query(t.Context(), sql, sqldata.Limits{}); !errors.Is(err, sqldata.ErrRefused) {
			t.Errorf("%s: %v, expected it refused", sql, err)
		}
	}
	query(t, db, "SELECT id FROM g")
}

// TestLinearFunctions: the functions that take the place of the engine's answer alike.
func TestLinearFunctions(t *testing.T) {
	ours, theirs := memoryConn(t, openConn), memoryConn(t, openRaw)
	rng := rand.New(rand.NewPCG(1, 2))
	values := []string{"NULL", "''", "' '", "12", "1.5", "x''", "x'61'", "x'6161ff'", "x'0061'", "'%'"}
	alphabet := []string{"a", "b", " ", "é", "ß", "漢", "🙂", "aa", "ab"}
	for range 60 {
		var b strings.Builder
		for range rng.IntN(7) {
			b.WriteString(alphabet[rng.IntN(len(alphabet))])
		}
		values = append(values, "'"+b.String()+"'")
	}
	any := func() string { return values[rng.IntN(len(values))] }
	answer := func(c *conn, sql string) []sqldata.Value {
		rows, err := c.all(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return rows[0]
	}
	for range 4000 {
		sql := fmt.Sprintf("SELECT trim(%[1]s), ltrim(%[1]s), rtrim(%[1]s), trim(%[1]s, %[2]s), ltrim(%[1]s, %[2]s), rtrim(%[1]s, %[2]s), instr(%[1]s, %[2]s), replace(%[1]s, %[2]s, %[3]s)", any(), any(), any())
		a, b := answer(ours, sql), answer(theirs, sql)
		if slices.CompareFunc(a, b, func(x, y sqldata.Value) int {
			return cmp.Or(cmp.Compare(x.Kind(), y.Kind()), strings.Compare(x.String(), y.String()))
		}) != 0 {
			t.Fatalf("%s\nours   %q\nengine %q", sql, a, b)
		}
	}
}
