package statistics

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/kit/lists"
	"github.com/tabperturb/tabperturb/internal/kit/packed"
	"github.com/tabperturb/tabperturb/retriever"
)

func TestKey(t *testing.T) {
	for _, tt := range []struct{ table, header, want string }{
		{"", "Date of Birth", "birth date"},
		{"", "price (USD)", "price"},
		{"customers", "customer_phone", "phone"},
		{"order details", "detail id", "id"},
		{"order details", "order id", "id order"},
		{"customers", "customer", "customer"},
	} {
		if got := Key(tt.table, tt.header); got != tt.want {
			t.Errorf("Key(%q, %q) = %q, want %q", tt.table, tt.header, got, tt.want)
		}
	}
}

func TestMarshal(t *testing.T) {
	want := New([]*retriever.Table{
		{Repository: "a/b", Caption: "customers", Columns: []retriever.Column{
			{Name: "customer id", Type: dataset.Number, Key: true}, {Name: "first name", Type: dataset.Text}, {Name: "id", Type: dataset.Number},
		}},
		{Columns: []retriever.Column{{Name: "Year", Type: dataset.Time}, {Name: "won", Type: dataset.Boolean}}},
	})
	got, err := Unmarshal(want.Marshal())
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Statistics{}, postings{})); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for bad, want := range map[string]string{
		"id\tid\n": "has no empty line", "id\n\na\tb\t\tt0\n": `line 1: "id"`, "id\tid\n\na\tb\n": "line 3: 2 fields",
		"id\tid\n\na\tb\t\tx0\n": `line 3: header "x0"`, "id\tid\n\na\tb\t\tt1\n": `line 3: header "t1"`, "id\tid\n\na\tb\t\t\n": `line 3: header ""`,
	} {
		if _, err := Unmarshal([]byte(bad)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", bad, err, want)
		}
	}
}

// TestDefaultKeys shows that the keys in the packed file are those that [Key] returns today.
func TestDefaultKeys(t *testing.T) {
	tables := lists.Map(Default().tables, func(t *Table) *retriever.Table { return t.Table })
	if string(New(tables).Marshal()) != string(Default().Marshal()) {
		t.Error("tables.tsv.zst has other keys than Key returns, expected one that `go run ./train statistics` makes today")
	}
}

func TestDefault(t *testing.T) {
	s := Default()
	if n := len(s.tables); n < 15_000 {
		t.Errorf("%d tables, want 15,000 or more", n)
	}
	if common, rare := s.Information("name"), s.Information("arrangement wheel"); common >= rare {
		t.Errorf("information of name %v, of wheel arrangement %v, want less", common, rare)
	}
	if x, y := s.Together("home team", "away team"), s.Together("home team", "wheel arrangement"); x < 20 || y != 0 {
		t.Errorf("home team stands beside away team in %d tables and wheel arrangement in %d, want dozens and none", x, y)
	}
}

func TestLike(t *testing.T) {
	s := New([]*retriever.Table{
		table("year", "title"), table("locomotive", "builder", "livery"), table("builder", "hull"), table("locomotive", "builder"),
	})
	asked := Keyed(table("Builder", "Locomotives", "year"))
	got := lists.Map(s.Like(asked, 1, 1), func(t *Table) string { return strings.Join(t.Keys, " ") })
	if diff := cmp.Diff([]string{"locomotive builder livery", "year title"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFit(t *testing.T) {
	s := New([]*retriever.Table{
		table("driver", "team", "points"), table("driver", "team", "grid", "laps"), table("driver", "grid", "laps"), table("driver", "laps", "grid"),
		table("player", "captain"), table("player", "captain", "team"), table("city", "mayor"), table("city", "area"),
	})
	asked := []string{"driver", "laps", "team", "laps", ""}
	grid, captain, unknown := s.Fit(asked, "grid"), s.Fit(asked, "captain"), s.Fit(asked, "livery")
	if grid.Columns == 0 || grid.Mean <= captain.Mean || captain.Columns > 0 {
		t.Errorf("grid %+v, captain %+v, want grid to fit a table of drivers", grid, captain)
	}
	if unknown != (Fit{}) || s.Fit([]string{"nothing"}, "grid") != (Fit{}) {
		t.Errorf("a name that no table has fits as %+v, want nothing told", unknown)
	}
}

func table(headers ...string) *retriever.Table {
	return &retriever.Table{Columns: lists.Map(headers, func(h string) retriever.Column { return retriever.Column{Name: h} })}
}

func BenchmarkUnmarshal(b *testing.B) {
	data, err := packed.Unpack(embedded, maxUnpacked)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Unmarshal(data); err != nil {
			b.Fatal(err)
		}
	}
}
