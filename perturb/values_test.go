package perturb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabperturb/tabperturb/dataset"
	"github.com/tabperturb/tabperturb/internal/engine/sqldata"
	"github.com/tabperturb/tabperturb/perturb"
	"github.com/tabperturb/tabperturb/perturb/perturbtest"
)

func TestValues(t *testing.T) {
	db := perturbtest.Units(t, perturbtest.WriteSample(t))[0].DB
	db.Tables[0].Columns = append(db.Tables[0].Columns, dataset.Column{Name: "other", Original: "other"})
	c, err := perturb.OpenContent(t.Context(), db, db.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	values, err := c.Values(t.Context(), dataset.ColumnRef{})
	if err != nil || len(values) == 0 {
		t.Errorf("%d values of the first column, error %v", len(values), err)
	}
	missing := dataset.ColumnRef{Column: len(db.Tables[0].Columns) - 1}
	for range 2 { // the second answer is that of the first
		if values, err := c.Values(t.Context(), missing); err == nil || !strings.Contains(err.Error(), ".other: ") {
			t.Errorf("a column that the file has not: %v, error %v", values, err)
		}
	}
}

func TestContentQuery(t *testing.T) {
	db := perturbtest.Units(t, perturbtest.WriteSample(t))[0].DB
	c, err := perturb.OpenContent(t.Context(), db, db.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	res, err := c.Query(t.Context(), "SELECT count(*) FROM "+db.Tables[0].Original)
	if err != nil || len(res.Rows) != 1 || res.Rows[0][0].Int() == 0 {
		t.Errorf("rows of the first table: %v, error %v", res, err)
	}
	if _, err := c.Query(t.Context(), "DROP TABLE "+db.Tables[0].Original); !errors.Is(err, sqldata.ErrRefused) {
		t.Errorf("a write gives the error %v, want %v", err, sqldata.ErrRefused)
	}
}
