//go:build quality

package quality

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestProcessors runs the demo, and builds from Spider dev, on amd64 with and without vector instructions and on
// arm64, which fuses products with sums: the three write the same bytes. It needs amd64, and for arm64 qemu.
func TestProcessors(t *testing.T) {
	data := spiderData(t)
	commands := [][]string{
		{"demo"},
		{"build", "--data", data, "--perturb", "drspider,spidersyn", "--limit", "200", "--databases", "none", "--out", "questions"},
		{"build", "--data", data, "--perturb", "mtteql", "--limit", "100", "--databases", "none", "--out", "relations"},
		{"eval", "link", "--data", "tabperturb-demo/data", "--build", "tabperturb-demo/benchmark", "--linkers"},
	}
	run := func(t *testing.T, env []string, program ...string) string {
		dir := t.TempDir()
		for _, command := range commands {
			cmd := exec.Command(program[0], append(append(program[1:], command...), "--quiet")...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", command, err, out)
			}
		}
		return dir
	}
	want := run(t, nil, program(t))
	t.Run("without vector instructions", func(t *testing.T) {
		got := run(t, []string{"GODEBUG=cpu.avx2=off,cpu.avx=off,cpu.fma=off"}, program(t))
		if n := sameFiles(t, want, got); n != sameFiles(t, got, want) || n < 100 {
			t.Errorf("%d files are the same, expected those of both", n)
		}
	})
	t.Run("arm64", func(t *testing.T) {
		emulator, err := exec.LookPath("qemu-aarch64-static")
		if err != nil {
			t.Skip("skipped: no qemu-aarch64-static (Debian's qemu-user-static) to run a program for arm64")
		}
		bin := filepath.Join(t.TempDir(), "tabperturb-arm64")
		build := exec.Command("go", "build", "-o", bin, "../../../cmd/tabperturb")
		build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got := run(t, nil, emulator, bin)
		if n := sameFiles(t, want, got); n != sameFiles(t, got, want) || n < 100 {
			t.Errorf("%d files are the same, expected those of both", n)
		}
	})
}
