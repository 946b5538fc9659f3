package execution

import (
	"strings"
	"testing"
	"time"

	"github.com/tabperturb/tabperturb/evaluate/verdict"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
)

// TestJudgeBIRD has the verdicts that follow from Python's comparison of sets of tuples,
// as sqlite3 makes them of rows.
func TestJudgeBIRD(t *testing.T) {
	db := pets(t)
	for _, tt := range []struct {
		label, gold, pred string
		verdict           verdict.Verdict
		reason            Reason
	}{
		{"order of rows", "VALUES (1), (2)", "VALUES (2), (1)", verdict.Right, ""},
		{"order that the gold asks for", "SELECT * FROM (VALUES (1), (2)) ORDER BY 1", "SELECT * FROM (VALUES (1), (2)) ORDER BY 1 DESC", verdict.Right, ""},
		{"rows twice", "VALUES (1), (1), (2)", "VALUES (2), (1)", verdict.Right, ""},
		{"rows twice, in the prediction", "VALUES (1), (2)", "VALUES (2), (1), (2)", verdict.Right, ""},
		{"order of columns", "SELECT 1, 2", "SELECT 2, 1", verdict.Wrong, OtherRows},
		{"columns of equal values", "SELECT 1, 1", "SELECT 1, 1", verdict.Right, ""},
		{"a row of other columns", "VALUES (1, 2), (2, 1)", "VALUES (2, 1), (1, 2)", verdict.Right, ""},
		{"one column more", "SELECT 1", "SELECT 1, 1", verdict.Wrong, OtherColumns},
		{"names of columns", "SELECT 1 AS a", "SELECT 1 AS b", verdict.Right, ""},
		{"a row less", "VALUES (1), (2)", "SELECT 1", verdict.Wrong, OtherRows},
		{"a row more", "SELECT 1", "VALUES (1), (2)", verdict.Wrong, OtherRows},
		{"both empty, other columns", "SELECT 1 WHERE 0", "SELECT 1, 2 WHERE 0", verdict.Right, ""},
		{"one empty, other columns", "SELECT 1 WHERE 0", "SELECT 1, 2", verdict.Wrong, OtherColumns},
		{"an integer and a real", "SELECT 1", "SELECT 1.0", verdict.Right, ""},
		{"true", "SELECT 1", "SELECT TRUE", verdict.Right, ""},
		{"minus zero", "SELECT 0", "SELECT -0.0", verdict.Right, ""},
		{"no tolerance", "SELECT 0.3", "SELECT 0.1 + 0.2", verdict.Wrong, OtherRows},
		{"equal reals", "SELECT 0.5", "SELECT 1.0 / 2", verdict.Right, ""},
		{"whole division", "SELECT 0.5", "SELECT 1 / 2", verdict.Wrong, OtherRows},
		{"infinity", "SELECT 9e999", "SELECT 8e999", verdict.Right, ""},
		{"both infinities", "SELECT 9e999", "SELECT -9e999", verdict.Wrong, OtherRows},
		{"2^53", "SELECT 9007199254740992", "SELECT 9007199254740992.0", verdict.Right, ""},
		{"2^53 + 1 is no real", "SELECT 9007199254740993", "SELECT 9007199254740992.0", verdict.Wrong, OtherRows},
		{"2^63 - 1 is no real", "SELECT 9223372036854775807", "SELECT 9223372036854775807.0", verdict.Wrong, OtherRows},
		{"-2^63 is one", "SELECT -9223372036854775808", "SELECT -9223372036854775808.0", verdict.Right, ""},
		{"2^63 is a real in both", "SELECT 9223372036854775808", "SELECT 9223372036854775808.0", verdict.Right, ""},
		{"NULL", "SELECT NULL", "SELECT NULL", verdict.Right, ""},
		{"NULL and zero", "SELECT NULL", "SELECT 0", verdict.Wrong, OtherRows},
		{"NULL and no row", "SELECT NULL", "SELECT NULL WHERE 0", verdict.Wrong, OtherRows},
		{"NULL and empty text", "SELECT NULL", "SELECT ''", verdict.Wrong, OtherRows},
		{"a number as text", "SELECT 1", "SELECT '1'", verdict.Wrong, OtherRows},
		{"case", "SELECT 'a'", "SELECT 'A'", verdict.Wrong, OtherRows},
		{"blanks", "SELECT 'a'", "SELECT 'a '", verdict.Wrong, OtherRows},
		{"one character in two ways", "SELECT char(233)", "SELECT char(101, 769)", verdict.Wrong, OtherRows},
		{"text and a blob", "SELECT 'a'", "SELECT x'61'", verdict.Wrong, OtherRows},
		{"blobs", "SELECT x'ff00'", "SELECT x'FF00'", verdict.Right, ""},
		{"text over the border of cells", "SELECT 'ab', 'c'", "SELECT 'a', 'bc'", verdict.Wrong, OtherRows},
		{"DISTINCT", "SELECT DISTINCT column1 FROM (VALUES (1), (1))", "SELECT column1 FROM (VALUES (1), (1))", verdict.Right, ""},
		{"prediction fails", "SELECT 1", "SELECT nothing", verdict.Wrong, Failed},
		{"prediction is no UTF-8", "SELECT 'a'", "SELECT CAST(x'61ff' AS TEXT)", verdict.Wrong, Failed},
		{"gold is no UTF-8", "SELECT CAST(x'61ff' AS TEXT)", "SELECT CAST(x'61ff' AS TEXT)", verdict.Unjudged, GoldFails},
		{"gold fails", "SELECT nothing", "SELECT 1", verdict.Unjudged, GoldFails},
		{"two statements", "SELECT 1", "SELECT 1; SELECT 1", verdict.Wrong, Refused},
		{"a semicolon and a comment", "SELECT 1", "SELECT 1; -- done", verdict.Right, ""},
		{"writes", "SELECT 1 WHERE 0", "DELETE FROM pets", verdict.Wrong, Refused},
		{"nothing", "SELECT 1 WHERE 0", "", verdict.Wrong, Refused},
	} {
		t.Run(tt.label, func(t *testing.T) {
			o, err := JudgeBIRD(t.Context(), tt.gold, tt.pred, db, sqldata.Limits{})
			if err != nil || o.Verdict != tt.verdict || o.Reason != tt.reason {
				t.Errorf("got %v %q (%s) and error %v, want %v %q", o.Verdict, o.Reason, o.Detail, err, tt.verdict, tt.reason)
			}
		})
	}
}

// TestJudgeBIRDApart checks that the two ways to decode text do not share answers.
func TestJudgeBIRDApart(t *testing.T) {
	db := pets(t)
	const sql = "SELECT CAST(x'61ff' AS TEXT)"
	for range 2 {
		if o, err := JudgeBIRD(t.Context(), "SELECT 'a'", sql, db, sqldata.Limits{}); err != nil || o.Verdict != verdict.Wrong {
			t.Errorf("BIRD: got %v and %v, want wrong", o, err)
		}
		if o, err := NewGold("SELECT 'a'", Options{}).Judge(t.Context(), sql, db); err != nil || o.Verdict != verdict.Right {
			t.Errorf("test suite: got %v and %v, want right", o, err)
		}
	}
}

func TestBIRDLimits(t *testing.T) {
	for _, tt := range []struct{ in, want time.Duration }{
		{0, 30 * time.Second}, {time.Second, time.Second}, {time.Minute, time.Minute},
	} {
		if got := BIRDLimits(sqldata.Limits{Time: tt.in}).Time; got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.in, got, tt.want)
		}
	}
	db := pets(t)
	endless := "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	o, err := JudgeBIRD(t.Context(), "SELECT 1", endless, db, sqldata.Limits{Time: 50 * time.Millisecond})
	if err != nil || o.Verdict != verdict.Wrong || o.Reason != TimeLimit {
		t.Errorf("got %v %q and %v, want wrong for the time limit", o.Verdict, o.Reason, err)
	}
	if !strings.Contains(o.Detail, "50ms") {
		t.Errorf("got the detail %q, want the limit in it", o.Detail)
	}
}
