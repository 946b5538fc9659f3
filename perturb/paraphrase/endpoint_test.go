package paraphrase

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
)

// TestEndpointOneByOne checks that servers which give one answer whatever n is, or
// refuse n > 1, are asked until there are five.
func TestEndpointOneByOne(t *testing.T) {
	for _, test := range []struct {
		name string
		more func(w http.ResponseWriter, req request)
	}{
		{"ignores n", func(w http.ResponseWriter, req request) { answer(w, req, 1) }},
		{"refuses n", func(w http.ResponseWriter, req request) {
			http.Error(w, `{"error":{"message":"n must be 1"}}`, http.StatusBadRequest)
		}},
		{"gives too many", func(w http.ResponseWriter, req request) { answer(w, req, 100) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var req request
				if json.NewDecoder(r.Body).Decode(&req) == nil && req.N > 1 {
					test.more(w, req)
					return
				}
				answer(w, req, 1)
			}))
			defer srv.Close()
			e := client(srv.URL)
			drafts, err := e.Drafts(t.Context(), boats)
			if err != nil || len(drafts) != 20 {
				t.Errorf("%d drafts, %v, want 20", len(drafts), err)
			}
			again, err := e.Drafts(t.Context(), boats)
			if err != nil || !slices.Equal(drafts, again) {
				t.Errorf("the second time %v, %v", again, err)
			}
		})
	}
}

// TestEndpointRequest checks what a server is told, and that drafts come back in the
// order of the settings.
func TestEndpointRequest(t *testing.T) {
	m := newModel(t, nil)
	e := client(m.URL)
	drafts, err := e.Drafts(t.Context(), boats)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.header.Get("Authorization"); got != "Bearer sk-secret" {
		t.Errorf("Authorization is %q", got)
	}
	bySampling := map[sampling]request{}
	for _, r := range m.requests {
		bySampling[sampling{r.TopP, r.Temperature}] = r
		if r.Model != "toy" || r.N != 5 || len(r.Messages) != 11 || !strings.Contains(r.Messages[10].Content, boats.Example.Question) {
			t.Errorf("request %+v", r)
		}
	}
	for i, s := range samplings {
		want := fmt.Sprintf("Which boats float, %d?", bySampling[s].Seed)
		if d := drafts[5*i]; d != (perturb.Draft{Question: want, Source: "toy", Note: "draft 0"}) {
			t.Errorf("draft %d is %+v, want the question %q", 5*i, d, want)
		}
	}
	if n := len(slices.Collect(maps.Keys(bySampling))); n != 4 {
		t.Errorf("%d settings, want 4", n)
	}
}
