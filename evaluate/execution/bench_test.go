package execution

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// officialSpeed is what the official test-suite evaluator does, in predictions a
// second: measured once with its defaults, on one database an example, on a
// machine with two cores, of which it uses one.
const officialSpeed = 650

// BenchmarkExecution judges a prediction file as the official evaluator does, with
// two workers that open their databases in the measured time. It reports
// predictions a second, as a multiple of the official evaluator's and of what
// Python's sqlite3 needs for nothing but running the same queries, one after the
// other, in the same run.
func BenchmarkExecution(b *testing.B) {
	dev := readSpiderDev(b)
	for _, name := range []string{"codes-1b", "dail-sql_gpt-4", "graphix_via_dail-sql"} {
		b.Run(name, func(b *testing.B) {
			preds := predictions(b, name+".txt")
			judged := 0
			for b.Loop() {
				judged = judgeAll(b, dev, preds)
			}
			speed := float64(judged*b.N) / b.Elapsed().Seconds()
			b.ReportMetric(speed, "predictions/s")
			b.ReportMetric(speed/officialSpeed, "x-official")
			if python := pythonSeconds(b, dev, preds); python > 0 {
				b.ReportMetric(speed*python/float64(judged), "x-python")
			}
		})
	}
}

// judgeAll judges the examples that have content, with two workers, each on the
// examples of every other database.
func judgeAll(b *testing.B, dev spiderDev, preds []string) int {
	const workers = 2
	batches := map[string][]int{}
	var ids []string
	for i, id := range dev.ids {
		if len(batches[id]) == 0 {
			ids = append(ids, id)
		}
		batches[id] = append(batches[id], i)
	}
	next := make(chan string, len(ids))
	for _, id := range ids {
		next <- id
	}
	close(next)
	var wg sync.WaitGroup
	counts := make([]int, workers)
	for w := range workers {
		wg.Go(func() {
			for id := range next {
				counts[w] += judgeBatch(b, dev, preds, batches[id])
			}
		})
	}
	wg.Wait()
	return counts[0] + counts[1]
}

// judgeBatch judges examples of one database.
func judgeBatch(b *testing.B, dev spiderDev, preds []string, batch []int) int {
	path, ok := dev.path(batch[0])
	if !ok {
		return 0
	}
	ctx := context.Background()
	db, err := Open(ctx, path)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer db.Close()
	for _, i := range batch {
		if _, err := NewGold(dev.golds[i], Options{}).Judge(ctx, preds[i], db); err != nil {
			b.Error(err)
		}
	}
	return len(batch)
}

// pythonSeconds returns how long Python's sqlite3 runs golds and predictions, or 0
// where there is no Python.
func pythonSeconds(b *testing.B, dev spiderDev, preds []string) float64 {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Log("no ratio to Python: python3 is not on the PATH")
		return 0
	}
	var in bytes.Buffer
	for i, gold := range dev.golds {
		path, ok := dev.path(i)
		if !ok {
			continue
		}
		for _, sql := range []string{gold, preds[i]} {
			quoted, err := json.Marshal(prepare(sql, false))
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(&in, "%s\t%s\n", path, quoted)
		}
	}
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "testdata/run_queries.py")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v", python, err)
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return seconds
}
