package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tabperturb/tabperturb/internal/chat"
)

// serveModel serves a model that proposes for every column and grades every name:
// "good" after it was busy once, "nonsense" with prose, "down" not at all. Its
// address has the request's key in every answer, which nobody may repeat.
func serveModel(ts *testscript.TestScript, _ bool, args []string) {
	how := args[0]
	var busy atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req chat.Request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) != 1 {
			http.Error(w, "expected one message", http.StatusBadRequest)
			return
		}
		if how == "down" {
			http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		if !busy.Swap(true) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		text := "Sure, " + r.Header.Get("Authorization")
		if how == "good" {
			text = modelAnswer(req.Messages[0].Content)
		}
		content, _ := json.Marshal(text)
		fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`, content)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL)
}

var (
	columnLine = regexp.MustCompile(`(?m)^(\d+)\. [^"\n]*$`)
	nameLine   = regexp.MustCompile(`(?m)^(\d+)\. to \w+ (?:beside )?"[^"]*": (.*)$`)
)

// modelAnswer is what a good model says to a prompt: to judge, that names of another
// model's are valid and the others doubtful.
func modelAnswer(prompt string) string {
	var parts []string
	if !strings.HasPrefix(prompt, "Judge") {
		_, table, _ := strings.Cut(prompt, "some cells:")
		for _, m := range columnLine.FindAllStringSubmatch(table, -1) {
			parts = append(parts, fmt.Sprintf(`{"column": %s, "replace": ["[b]"], "add": [{"name": "Wing_Span", "type": "number"}]}`, m[1]))
		}
		return "```json\n{\"columns\": [" + strings.Join(parts, ",") + "]}\n```"
	}
	for _, m := range nameLine.FindAllStringSubmatch(prompt, -1) {
		grade := "doubtful"
		if m[2] == "wing span" {
			grade = "valid"
		}
		parts = append(parts, fmt.Sprintf("%q: %q", m[1], grade))
	}
	return "<think>Well.</think>{" + strings.Join(parts, ",") + "}"
}
