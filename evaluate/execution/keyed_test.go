package execution

import (
	"testing"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

func TestJudgeKeyed(t *testing.T) {
	db := pets(t)
	capacity, count, name := []string{"0 1"}, []string{"0 1", "0 1"}, []string{"0 1", "0 2"}
	for _, tt := range []struct {
		label      string
		gold, pred Keyed
		verdict    verdict.Verdict
		reason     Reason
	}{
		{"the last of a key stands for all", Keyed{"SELECT 1, 5", count}, Keyed{"SELECT 9, 5", count}, verdict.Right, ""},
		{"the last differs", Keyed{"SELECT 1, 5", count}, Keyed{"SELECT 1, 6", count}, verdict.Wrong, OtherRows},
		{"columns in another order", Keyed{"SELECT 1, 2", name}, Keyed{"SELECT 2, 1", []string{"0 2", "0 1"}}, verdict.Right, ""},
		{"another column", Keyed{"SELECT 1", capacity}, Keyed{"SELECT 1", []string{"0 7"}}, verdict.Wrong, OtherColumns},
		{"one column more", Keyed{"SELECT 1", capacity}, Keyed{"SELECT 1, 2", name}, verdict.Wrong, OtherColumns},
		{"rows are a list", Keyed{"VALUES (1), (2)", capacity}, Keyed{"VALUES (2), (1)", capacity}, verdict.Wrong, OtherRows},
		{"fewer rows", Keyed{"VALUES (1), (2)", capacity}, Keyed{"VALUES (1)", capacity}, verdict.Wrong, OtherRows},
		{"an integer equals a real", Keyed{"SELECT 1", capacity}, Keyed{"SELECT 1.0", capacity}, verdict.Right, ""},
		{"prediction fails", Keyed{"SELECT 1", capacity}, Keyed{"SELECT nothing", capacity}, verdict.Wrong, Failed},
		{"prediction writes", Keyed{"SELECT 1", capacity}, Keyed{"DROP TABLE pets", capacity}, verdict.Wrong, Refused},
		{"gold fails", Keyed{"SELECT nothing", capacity}, Keyed{"SELECT 1", capacity}, verdict.Unjudged, GoldFails},
	} {
		t.Run(tt.label, func(t *testing.T) {
			o, err := JudgeKeyed(t.Context(), tt.gold, tt.pred, db, sqldata.Limits{})
			if err != nil || o.Verdict != tt.verdict || o.Reason != tt.reason {
				t.Errorf("got %v %q (%s) and error %v, want %v %q", o.Verdict, o.Reason, o.Detail, err, tt.verdict, tt.reason)
			}
		})
	}
}
