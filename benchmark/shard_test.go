package benchmark

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabperturb/tabperturb/dataset"
)

// TestShard checks that a shard keeps sources byte by byte but for blanks, and that
// what has none has none afterwards.
func TestShard(t *testing.T) {
	source := json.RawMessage(`{"q":"a <b> & \u003cc\u003e é \u00e9 \/","n":[1.50,2e3,12345678901234567890]}`)
	s := &shard{
		Before: &dataset.Database{ID: "a"}, After: []*dataset.Database{{ID: "b"}, {ID: "c", Source: source}},
		Records: []shardRecord{{Pre: dataset.SpiderExample{Source: source}, Interaction: 3}, {}},
	}
	data, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeShard(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got, cmp.AllowUnexported(shard{}, shardRecord{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if string(got.After[1].Source) != string(source) || string(got.Records[0].Pre.Source) != string(source) || got.Before.Source != nil || got.After[0].Source != nil {
		t.Errorf("sources %s, %s, %s and %s", got.After[1].Source, got.Records[0].Pre.Source, got.Before.Source, got.After[0].Source)
	}
}
