package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/evaluate/serve"
)

// BenchmarkVerdicts judges published predictions by execution with two workers, over
// loopback as the command serves them: in lists of 256 and one at a time by one client.
// The databases come in no order, and each pass has predictions of another text, so that
// only golds can have been answered before. Beside verdicts a second it reports the
// median time of one, as the client sees it.
func BenchmarkVerdicts(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	o, _, requests := spider(b)
	o.Evaluate.Metrics = o.Evaluate.Metrics[1:]
	url := start(b, o)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
	pass := 0
	for name, size := range map[string]int{"batched": 256, "single": 1} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			verdicts := 0
			for b.Loop() {
				pass++
				for i, body := range encoded(b, requests, size, pass) {
					begin := time.Now()
					roundTrip(b, url, body)
					took = append(took, time.Since(begin))
					verdicts += min(size, len(requests)-i*size)
				}
			}
			b.ReportMetric(float64(verdicts)/b.Elapsed().Seconds(), "verdicts/s")
			if size == 1 {
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
			}
		})
	}
}

// encoded are the bodies of requests in lists of a size, or alone, with predictions that
// have the pass in a comment.
func encoded(tb testing.TB, requests []serve.Request, size, pass int) (bodies [][]byte) {
	tb.Helper()
	requests = slices.Clone(requests)
	for i := range requests {
		requests[i].Pred += fmt.Sprintf(" /* %d */", pass)
	}
	for part := range slices.Chunk(requests, size) {
		var v any = part
		if size == 1 {
			v = part[0]
		}
		body, err := json.Marshal(v)
		if err != nil {
			tb.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func roundTrip(tb testing.TB, url string, body []byte) {
	tb.Helper()
	resp, err := http.Post(url+"/v1/verdicts", "application/json", bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		tb.Fatalf("status %d, %v", resp.StatusCode, err)
	}
}
