package command

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/tabperturb/tabperturb/internal/engine"
)

// TestStageScript checks that schemas are printed only if their script was written.
func TestStageScript(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		script string
		ok     bool
	}{
		{filepath.Join(dir, "stage.sql"), true},
		{dir, false},
	} {
		var out bytes.Buffer
		a := &app{stdout: &out, stderr: &out}
		err := a.runScripts(t.Context(), nil, &stageFlags{script: test.script}, []engine.Staged{{Schema: "shop"}}, []string{"SELECT 1;"}, "staged in shop")
		if printed := out.Len() > 0; printed != test.ok || (err == nil) != test.ok {
			t.Errorf("%s: %v, prints %q, expected success: %t", test.script, err, out.String(), test.ok)
		}
	}
}
