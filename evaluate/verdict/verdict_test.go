package verdict

import "testing"

func TestMark(t *testing.T) {
	for v, want := range map[Verdict]string{Right: "1", Wrong: "0", Unjudged: "-"} {
		if back, ok := FromMark(want); v.Mark() != want || back != v || !ok {
			t.Errorf("%v has the mark %q, and back it is %v", v, v.Mark(), back)
		}
	}
	if v, ok := FromMark("right"); ok {
		t.Errorf("%q is the mark of %v, want none", "right", v)
	}
	if Of(true) != Right || Of(false) != Wrong {
		t.Error("Of is wrong")
	}
}
