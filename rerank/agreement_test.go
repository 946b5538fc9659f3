package rerank

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/retriever"
	"github.com/tabperturb/tabperturb/retriever/statistics"
)

// tables returns tables by their headers, with commas between them; text before a colon is a repository and the name of
// the table, and a star marks a key.
func tables(lines ...string) []*statistics.Table {
	var out []*statistics.Table
	for _, line := range lines {
		t := &retriever.Table{}
		if from, headers, named := strings.Cut(line, ": "); named {
			t.Repository, t.Caption, _ = strings.Cut(from, "/")
			line = headers
		}
		for header := range strings.SplitSeq(line, ", ") {
			name, key := strings.CutSuffix(header, "*")
			t.Columns = append(t.Columns, retriever.Column{Name: name, Type: dataset.Text, Key: key})
		}
		out = append(out, statistics.Keyed(t))
	}
	return out
}

func TestAgree(t *testing.T) {
	asked := tables("locomotive, wheel arrangement, builder")[0]
	a := Agree(asked, tables(
		"locomotive, wheel arrangement, builder",           // the asked one's own headers
		"locomotive, wheel arrangement, builder, livery*",  //
		"livery*, builder, wheel arrangement, locomotive",  // the same set again
		"locomotive, wheel arrangement, maker, livery*",    //
		"locomotive, wheel arrangement, maker, withdrawn*", //
		"year, title, role",                                // another kind
	))
	if a.Tables != 3 {
		t.Errorf("%d tables of the kind, want 3", a.Tables)
	}
	livery, maker := a.Of("liveries"), a.Of("maker")
	switch {
	case livery == nil || maker == nil:
		t.Fatalf("headers %v, want livery and maker", a.Headers)
	case livery.Support != 2 || livery.Key != 1 || livery.Share < 0.6 || livery.Share > 0.75:
		t.Errorf("livery: support %d, key %v, share %v, want 2, 1 and about two thirds", livery.Support, livery.Key, livery.Share)
	case livery.Beside[0].Instead() || livery.Beside[2].Instead():
		t.Error("livery stands instead of a column, want beside")
	case maker.Beside[0].Instead() || !maker.Beside[2].Instead():
		t.Errorf("maker beside %+v, want it instead of builder alone", maker.Beside)
	case a.Of("role") != nil:
		t.Error("role of tables of another kind, want none")
	}
	if near := a.Of("livery").Beside; near[2].Near <= near[0].Near {
		t.Errorf("livery is as near to the locomotive as to the builder: %+v", near)
	}
}

// The tables of one repository have one vote together.
func TestRepositories(t *testing.T) {
	asked := tables("shop/customers: customer id, email address, loyalty tier")[0]
	a := Agree(asked, tables(
		"crm/customers: id, email address, loyalty tier, sync token",
		"crm/customer: id, email address, loyalty tier, sync token, realm",
		"till/customers: id, email address, loyalty tier, phone",
	))
	token, phone := a.Of("sync token"), a.Of("customer phone")
	if token == nil || phone == nil || token.Support != 1 || phone.Support != 1 {
		t.Fatalf("sync token %+v, phone %+v, want each of one repository", token, phone)
	}
	if diff := token.Share - phone.Share; diff > 0.1 || diff < -0.1 {
		t.Errorf("shares %v and %v, want about as much", token.Share, phone.Share)
	}
}

func TestAgreeAlone(t *testing.T) {
	a := Agree(tables("name, age")[0], nil)
	if diff := cmp.Diff(0, len(a.Headers)+a.Tables); diff != "" || a.Of("height") != nil {
		t.Errorf("without tables: %+v", a)
	}
}
