package conformance

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/evaluate/execution"
)

func TestZZ(t *testing.T) {
	s := load(t)
	dir := t.TempDir()
	p := &Pair{ID: "z", Database: "small"}
	s.create(t.Context(), dir, p)
	o := execution.Options{}
	o.Limits.Time = 200 * time.Millisecond
	attacks, _ := Hostile()
	for _, a := range attacks {
		if a.Database != "small" || a.PlugValue {
			continue
		}
		base := runtime.NumGoroutine()
		db, _ := execution.Open(t.Context(), dataset.SQLitePath(dir, "case_z"))
		start := time.Now()
		out, _ := execution.NewGold(a.Gold, o).Judge(t.Context(), a.SQL, db)
		d := time.Since(start)
		db.Close()
		for i := 0; i < 6000 && runtime.NumGoroutine() > base; i++ {
			time.Sleep(5 * time.Millisecond)
		}
		if e := time.Since(start); e > d+50*time.Millisecond {
			fmt.Println(a.Name, d.Round(time.Millisecond), "left until", e.Round(time.Millisecond), out.Reason, runtime.NumGoroutine()-base)
		}
	}
}
