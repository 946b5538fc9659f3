package namepair

import "testing"

func TestHead(t *testing.T) {
	e := newExtractor(t)
	for name, want := range map[string]int{
		"home town": 1, "date of birth": 0, "written by": 0, "address 1": 0, "": -1, "of": -1, "1": 0,
	} {
		if got := head(e.Name(name).words); got != want {
			t.Errorf("head of %q is %d, expected %d", name, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for word, want := range map[string]int{
		"0": 0, "007": 7, "12": 12, "1st": 1, "22nd": 22, "first": 1, "ninety": 90, "million": 1e6, "twelfth": 12,
		"": noNumber, "st": noNumber, "second": noNumber, "3.5": noNumber, "-1": noNumber, "x1": noNumber,
		"99999999999999999999": noNumber,
	} {
		if got := number(word); got != want {
			t.Errorf("number(%q) = %d, expected %d", word, got, want)
		}
	}
}
