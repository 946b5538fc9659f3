package folder

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/testkit/shared"
	"github.com/tabperturb/tabperturb/internal/testkit/streamtest"
)

func TestNaturalName(t *testing.T) {
	for identifier, want := range map[string]string{
		"cust_addr_nbr":   "customer address number",
		"Home_Town":       "home town",
		"homeTown":        "home town",
		"HTTPServer":      "http server",
		"HTTPServer2":     "http server 2",
		"addr2":           "address 2",
		"StuID":           "student id",
		"custid":          "customer id",
		"dormid":          "dorm id",
		"hiredate":        "hire date",
		"candidate":       "candidate", // not candi date
		"LName":           "last name",
		"fname":           "first name",
		"flight_no":       "flight number",
		"no_of_loans":     "number of loans",
		"is_no":           "is number",
		"no":              "no",
		"qty":             "quantity",
		"emp_qtys":        "employee quantities",
		"rest_of_day":     "rest of day",    // rest: a word in its own right
		"max_price":       "max price",      // said as it is
		"gdp_url":         "gdp url",        // acronyms are said
		"prof_id":         "prof id",        // professor, profession, profile
		"class":           "class",          // not classification
		"% change":        "percent change", //
		"Größe":           "große",          //
		"城市":              "城市",             //
		"___":             "___",            // no word at all
		"1st_place":       "1st place",      //
		"order details$":  "order details dollar",
		"avg_temp_c":      "average temp c",
		"a\xffb":          "ab",
		"LongColumnNAME3": "long column name 3",
	} {
		if got := newNameMaker().naturalName(identifier); got != want {
			t.Errorf("%q: got %q, want %q", identifier, got, want)
		}
	}
}

func TestNamesSideBySide(t *testing.T) {
	got := newNameMaker().natural([]string{"cust_no", "cust_nbr", "dept"})
	if want := []string{"cust no", "cust nbr", "department"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: names that would be the same keep their own words", got, want)
	}
}

// TestEntityNames checks that abbreviations of a schema's own tables are read as these.
func TestEntityNames(t *testing.T) {
	db := &dataset.Database{}
	for _, names := range [][]string{
		{"Referral", "RefID", "RefDate", "RefSource", "CatID", "RefCount2X"}, {"Category", "CatID", "CatName", "Cat"}, {"networks", "net_amount"}, {"material", "mat_code", "mat_desc"}, {"\xff"},
	} {
		table := dataset.Table{Original: names[0]}
		for _, name := range names[1:] {
			table.Columns = append(table.Columns, dataset.Column{Original: name})
		}
		db.Tables = append(db.Tables, table)
	}
	newNameMaker().database(db)
	var got []string
	for ref := range db.AllColumns() {
		got = append(got, db.Column(ref).Name)
	}
	want := []string{"referral id", "referral date", "referral source", "category id", "referral count 2 x", "category id", "category name", "cat", "net amount", "material code", "material description"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNamesOfSpider compares with the names that people gave to the columns of Spider.
func TestNamesOfSpider(t *testing.T) {
	dir := shared.Dir(t) + "/data/spider"
	shared.File(t, "data", "spider", "tables.json")
	names := newNameMaker()
	all, same, plain := 0, 0, 0
	for db, err := range streamtest.AllOfFile(dataset.ReadTables, filepath.Join(dir, "tables.json")) {
		if err != nil {
			continue
		}
		ours := db.Clone()
		names.database(ours)
		for i, table := range db.Tables {
			for j, c := range table.Columns {
				all++
				if c.Name == ours.Tables[i].Columns[j].Name {
					same++
				}
				if c.Name == identifierWords(c.Original) {
					plain++
				}
			}
		}
	}
	t.Logf("%d of %d columns are named as people did (%.1f%%), %d without writing abbreviations out", same, all, 100*float64(same)/float64(all), plain)
	if same*100 < all*94 || same <= plain {
		t.Errorf("%d of %d columns are named as people did, want 94%% and more than the %d of the bare words", same, all, plain)
	}
}
