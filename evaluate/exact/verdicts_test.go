package exact

import (
	"path"
	"testing"
)

func TestHardnessOfDev(t *testing.T) {
	var got [numLevels]int
	for _, g := range golds(t) {
		if g.Problem() != nil {
			t.Errorf("%s: %v", g.sql, g.Problem())
		}
		got[g.Hardness()]++
	}
	if want := [numLevels]int{248, 446, 174, 166}; got != want {
		t.Errorf("hardness of Spider dev is %v, expected %v", got, want)
	}
}

// The verdicts were printed by the official evaluator.
func TestOfficialVerdicts(t *testing.T) {
	golds := golds(t)
	judged, equal := 0, 0
	for _, file := range predictionFiles {
		official := lines(t, "data", "predictions", "spider-dev", "official_verdicts", "em_"+path.Base(file)+".txt")[0]
		for i, pred := range predictions(t, file) {
			r := golds[i].Judge(pred, false)
			judged++
			if want := official[i] == '1'; r.Match == want && r.Official == want {
				equal++
			} else {
				t.Errorf("%s:%d: match %v, officially %v\ngold %s\npred %s\nrejected: %v, differs %v", file, i+1, r.Match, want, golds[i].sql, pred, r.Rejected, r.Differs)
			}
		}
	}
	if judged != 13442 || equal != judged {
		t.Errorf("%d of %d verdicts equal, expected 13442 of 13442", equal, judged)
	}
}
