package wordfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/internal/kit/wordfile"
)

func TestRows(t *testing.T) {
	got := wordfile.Rows("# a comment\n\n most recent | the oldest \n|\n", 2)
	if diff := cmp.Diff([][]string{{"most recent", "the oldest"}, {"", ""}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadLists(t *testing.T) {
	lists := wordfile.ReadLists("marks | a b\nothers | x\nmarks | c")
	if diff := cmp.Diff([]string{"a", "b", "c"}, lists.Words("marks")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPhrases(t *testing.T) {
	if diff := cmp.Diff([]string{"less than", "under"}, wordfile.Phrases("less than; under;")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := wordfile.Phrases(""); got != nil {
		t.Errorf("no phrases are %q, expected none", got)
	}
}

func TestMalformed(t *testing.T) {
	for name, read := range map[string]func(){
		"cells": func() { wordfile.Rows("a | b | c", 2) },
		"list":  func() { wordfile.ReadLists("marks | a").Words("nouns") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic, expected one")
				}
			}()
			read()
		})
	}
}
