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

	"github.com/tabperturb/tabperturb/internal/remote/chat"
)

// serveDir serves a folder for the rest of a script; the variable has its address.
func serveDir(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL)
}

// serveModel serves a model that proposes for every column, grades every name and drafts
// paraphrases of some categories: "good" after it was busy once, "nonsense" with prose, "down" not at all. What is no
// good answer repeats the key, which may come out nowhere.
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
	if strings.HasPrefix(prompt, "Paraphrase") {
		sentence := prompt[strings.LastIndex(prompt, "Sentence: ")+len("Sentence: "):]
		sentence, _, _ = strings.Cut(sentence, "\n")
		return fmt.Sprintf(`{"others": [%q, %q], "column-value": [], "multitype": ["broken`, "Please answer this: "+sentence, sentence)
	}
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
