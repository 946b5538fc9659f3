package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sync/errgroup"
)

// cluster runs the tasks of a file of docs/cluster as so many local processes, two at once:
//
//	cluster slurm|kubernetes N
//
// The files take what else they need from the environment.
func cluster(ts *testscript.TestScript, _ bool, args []string) {
	command := map[string]func(*testscript.TestScript) []string{"slurm": slurmCommand, "kubernetes": kubernetesCommand}[args[0]](ts)
	var n int
	_, err := fmt.Sscan(args[1], &n)
	ts.Check(err)
	var g errgroup.Group
	g.SetLimit(2)
	for i := range n {
		g.Go(func() error {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Dir = ts.MkAbs(".")
			cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"), "DATA="+ts.Getenv("DATA"), "OUT="+ts.Getenv("OUT"), "PERTURB="+ts.Getenv("PERTURB"),
				fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", i+1), fmt.Sprintf("SLURM_ARRAY_TASK_COUNT=%d", n),
				fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i), fmt.Sprintf("SHARES=%d", n))
			if printed, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("task %d: %w\n%s", i, err, printed)
			}
			return nil
		})
	}
	ts.Check(g.Wait())
}

func clusterFile(ts *testscript.TestScript, name string) string {
	path, err := filepath.Abs(filepath.Join("..", "..", "docs", "cluster", name))
	ts.Check(err)
	return path
}

func slurmCommand(ts *testscript.TestScript) []string {
	return []string{"sh", clusterFile(ts, "slurm.sh")}
}

// kubernetesCommand returns the command of the Job's container, a list in JSON on one line.
func kubernetesCommand(ts *testscript.TestScript) (command []string) {
	data, err := os.ReadFile(clusterFile(ts, "kubernetes.yaml"))
	ts.Check(err)
	for line := range strings.Lines(string(data)) {
		if list, ok := strings.CutPrefix(strings.TrimSpace(line), "command: "); ok {
			ts.Check(json.Unmarshal([]byte(list), &command))
		}
	}
	if len(command) == 0 {
		ts.Fatalf("kubernetes.yaml: has no line with a command")
	}
	return command
}
