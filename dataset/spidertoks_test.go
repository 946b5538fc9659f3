package dataset

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestSpiderTokens(t *testing.T) {
	examples := spiderDev(t)
	for _, test := range []struct {
		name  string
		got   func(string) []string
		text  func(spiderExample) string
		want  func(spiderExample) []string
		equal int
	}{
		// One question was not split by a machine.
		{"question_toks", QuestionTokens, func(e spiderExample) string { return e.Question }, func(e spiderExample) []string { return e.QuestionToks }, 1033},
		{"query_toks", QueryTokens, func(e spiderExample) string { return e.Query }, func(e spiderExample) []string { return e.QueryToks }, 1034},
		{"query_toks_no_value", QueryTokensNoValue, func(e spiderExample) string { return e.Query }, func(e spiderExample) []string { return e.NoValueToks }, 1034},
	} {
		t.Run(test.name, func(t *testing.T) {
			equal := 0
			for _, e := range examples {
				if got, want := test.got(test.text(e)), test.want(e); slices.Equal(got, want) {
					equal++
				} else {
					t.Logf("%s\n got %q\nwant %q", test.text(e), got, want)
				}
			}
			if equal != test.equal {
				t.Errorf("%d of %d equal, expected %d", equal, len(examples), test.equal)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for _, test := range []struct {
		split func(string) []string
		in    string
		want  []string
	}{
		{QuestionTokens, `What's the "Sky Radio" name, of Mr. Smith's 3.5 (big) dogs? List it.`,
			[]string{"What", "'s", "the", "``", "Sky", "Radio", "''", "name", ",", "of", "Mr.", "Smith", "'s", "3.5", "(", "big", ")", "dogs", "?", "List", "it", "."}},
		{QuestionTokens, "I can't cannot they're 5:30 $1,000 --...", []string{"I", "ca", "n't", "can", "not", "they", "'re", "5:30", "$", "1,000", "--", "..."}},
		{QuestionTokens, "Gimme what you're gonna get; 'Tis 'here', isn't it? [A: b]", []string{"Gim", "me", "what", "you", "'re", "gon", "na", "get", ";", "'T", "is", "'here", "'", ",", "is", "n't", "it", "?", "[", "A", ":", "b", "]"}},
		{QuestionTokens, "", nil},
		{QueryTokens, `SELECT T1.a FROM t WHERE x != 'A b' AND y >= "c"`,
			[]string{"SELECT", "T1.a", "FROM", "t", "WHERE", "x", "!", "=", "'A", "b", "'", "AND", "y", ">", "=", "``", "c", "''"}},
		{QueryTokens, `select a from t where x != 'a b' and y >= "c"`,
			[]string{"select", "a", "from", "t", "where", "x", "!=", `"a b"`, "and", "y", ">=", `"c"`}},
		{QueryTokensNoValue, "SELECT T1.a, count(*) FROM t WHERE x >= 2.5 AND y = 'It' LIMIT 3;",
			[]string{"select", "t1", ".", "a", ",", "count", "(", "*", ")", "from", "t", "where", "x", ">", "=", "value", "and", "y", "=", "value", "limit", "value"}},
	} {
		if got := test.split(test.in); !slices.Equal(got, test.want) {
			t.Errorf("%s\n got %q\nwant %q", test.in, got, test.want)
		}
	}
}

// FuzzTokens checks that splitting loses nothing but blanks and quotes.
func FuzzTokens(f *testing.F) {
	f.Add(`What's the "Sky Radio" name, of Mr. Smith's 3.5 (big) dogs?`)
	f.Add(`select a from t where x != 'a b' and y >= "c";`)
	f.Add("\xce \xa3") // two halves of a letter, which must not meet
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, split := range []func(string) []string{QuestionTokens, QueryTokens} {
			if got := strings.Join(split(text), " "); letters(got) != letters(text) {
				t.Errorf("%q became %q", text, got)
			}
		}
		QueryTokensNoValue(text)
	})
}
