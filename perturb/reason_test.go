package perturb_test

import (
	"regexp"
	"testing"

	"github.com/tabperturb/tabperturb/perturb"
)

// TestReasons checks the list: codes that scripts can rely on, each once, with words.
func TestReasons(t *testing.T) {
	code := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, r := range perturb.Reasons() {
		if !code.MatchString(string(r.Code)) || len(r.Text) < 10 || seen[string(r.Code)] || seen[r.Text] {
			t.Errorf("%q: %q, want a code of lower-case words and words of its own", r.Code, r.Text)
		}
		seen[string(r.Code)], seen[r.Text] = true, true
		if !r.Code.Known() || r.Code.Text() != r.Text {
			t.Errorf("%q is not found", r.Code)
		}
	}
	if other := perturb.Reason("of-another-version"); other.Known() || other.Text() != "of-another-version" {
		t.Errorf("an unknown reason reads %q", other.Text())
	}
}
