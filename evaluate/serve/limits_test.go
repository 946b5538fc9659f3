package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/evaluate/serve"
)

const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"

// TestCancelled asks for what never ends and goes away: the service drops the work, which
// would else hold up the next request for an hour.
func TestCancelled(t *testing.T) {
	_, o := sampleData(t)
	o.Evaluate.Execution.Limits.Time = time.Hour
	o.Limits.Verdict = time.Hour
	url := start(t, o)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			body := fmt.Sprintf(`{"db_id":"town_library","gold":"SELECT 1 FROM books","pred":%q}`, endless)
			req, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/verdicts", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
				t.Errorf("status %d, expected no answer before it was cancelled", resp.StatusCode)
			}
		})
	}
	wg.Wait()
	alive(t, url)
}

// TestLimitsOfTime: a verdict and a list that take too long are not judged, and say so.
func TestLimitsOfTime(t *testing.T) {
	_, o := sampleData(t)
	o.Evaluate.Execution.Limits.Time = time.Hour
	slow := serve.Request{DB: "town_library", Gold: "SELECT 1 FROM books", Pred: endless, Metrics: []serve.Metric{serve.Exec}}
	o.Limits.Verdict = 100 * time.Millisecond
	if a := ask(t, start(t, o), slow)[0]; a.Exec != nil || a.Reason != "not judged within 100ms" {
		t.Errorf("%+v, expected it not judged within 100ms", a)
	}
	o.Limits = serve.Limits{Request: 300 * time.Millisecond, Verdict: time.Hour}
	for _, a := range ask(t, start(t, o), slow, slow, slow, slow) {
		if a.Exec != nil || !strings.Contains(a.Reason, "not judged") {
			t.Errorf("%+v, expected it not judged", a)
		}
	}
	o.Evaluate.Execution.Limits.Time = 100 * time.Millisecond
	o.Limits = serve.Limits{}
	if a := ask(t, start(t, o), slow)[0]; a.Exec == nil || *a.Exec || !strings.HasPrefix(a.Reason, "time limit") {
		t.Errorf("%+v, expected it wrong by its time limit, as eval has it", a)
	}
}

// TestFault has each judge fail, as no request should bring about: the answer says so, and
// others take their places.
func TestFault(t *testing.T) {
	_, o := sampleData(t)
	var reports atomic.Int32
	o.Report = func(error) { reports.Add(1) }
	o.Evaluate.Suite = func(_, gold string) []string {
		if strings.Contains(gold, "branches") {
			panic("made to fail")
		}
		return nil
	}
	url := start(t, o)
	const query = "SELECT count(*) FROM branches"
	for range 5 {
		a := ask(t, url, serve.Request{DB: "town_library", Gold: query, Pred: query})[0]
		if a.Exact != nil || a.Exec != nil || a.Reason != "not judged, by a fault of the service" {
			t.Errorf("%+v, expected a fault", a)
		}
	}
	if n := reports.Load(); n != 5 {
		t.Errorf("%d faults were reported, expected 5", n)
	}
	alive(t, url)
}

// TestStop ends the service while it judges: who has asked is answered, and nobody after.
func TestStop(t *testing.T) {
	_, o := sampleData(t)
	o.Evaluate.Execution.Limits.Time = 500 * time.Millisecond
	s := serve.New(o)
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	url := "http://" + l.Addr().String()
	answered := make(chan string, 1)
	go func() {
		defer close(answered)
		_, got := post(t, url, fmt.Sprintf(`{"db_id":"town_library","gold":"SELECT 1 FROM books","pred":%q,"metrics":["exec"]}`, endless))
		answered <- string(got)
	}()
	for deadline := time.Now().Add(time.Minute); !working(t, url) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if got := <-answered; !strings.Contains(got, `"exec":false`) || !strings.Contains(got, "time limit") {
		t.Errorf("who had asked is answered %s", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	s.Close()
	if resp, err := http.Get(url + "/healthz"); err == nil {
		resp.Body.Close()
		t.Errorf("answers after its end: status %d", resp.StatusCode)
	}
}

// working tells whether a request for verdicts is in work.
func working(t *testing.T, url string) bool {
	t.Helper()
	resp, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(data), "\ntabperturb_requests_in_work 1\n")
}
