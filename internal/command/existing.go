package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
)

// existing holds the flags for an output that exists.
type existing struct{ replace, append bool }

// flags adds --force and --append to a command that has --shard.
func (e *existing) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&e.replace, "force", false, "build in the place of a build that is there")
	fl.BoolVar(&e.append, "append", false, "add perturbations to the build that is there, with the bytes of one build of all; needs its data directory, seed and settings")
	cmd.MarkFlagsMutuallyExclusive("force", "append")
	cmd.MarkFlagsMutuallyExclusive("shard", "append")
}

// check refuses an output that holds a build, unless --force or --append is given. isPart reports whether out is the part of a
// share; with --resume such a part may be complete already.
func (e *existing) check(out string, isPart, resume bool) error {
	switch {
	case e.append, e.replace, !benchmark.IsBuild(out), isPart && resume:
		return nil
	case isPart:
		return fmt.Errorf("%s holds a build, expected --force to build in its place, or another --out", out)
	}
	return fmt.Errorf("%s holds a build, expected --append to add to it, --force to build in its place, or another --out", out)
}

// inherit reads, with --append, the manifest of the build at out. The configuration takes the number of samples and the kind of
// databases from that build, unless flags give them; databases of another kind than the build's are refused. OwnSamples stays true if the
// build has the default number of samples and its plan does not store that --samples gave it.
func (e *existing) inherit(c *benchmark.Config, out string) error {
	if !e.append {
		return nil
	}
	if !benchmark.IsBuild(out) {
		return fmt.Errorf("--append: %s holds no build, expected one to add to", out)
	}
	m, err := benchmark.ReadManifest(out)
	if err != nil {
		return err
	}
	c.Earlier = m
	if c.OwnSamples { // --samples is not given: as for the build
		c.Samples, c.OwnSamples = m.Samples, !m.Plan.Samples && m.Samples == benchmark.DefaultSamples
	}
	had := m.Plan.Databases
	switch {
	case c.Databases == benchmark.DatabasesRows, c.Databases == had: // [benchmark.Manifest.CanAdd] compares the rows of samples
	case c.Databases == benchmark.DatabasesAuto && had == "":
		return fmt.Errorf("--append: %s has no records, which would tell whether it has databases, expected --databases full or none", out)
	case c.Databases == benchmark.DatabasesAuto:
		c.Databases, c.Rows = had, m.Plan.Rows
	case had == benchmark.DatabasesRows:
		return fmt.Errorf("--append: %s was built with --rows %d, expected the same of what is added", out, m.Plan.Rows)
	case had != "":
		return fmt.Errorf("--append: %s was built with --databases %s, expected the same of what is added", out, had)
	}
	return nil
}

// skipBuilt removes the perturbations that the earlier build has from the plan. It is an error if none is left.
func (p *buildPlan) skipBuilt(a *app) error {
	if p.Earlier == nil {
		return nil
	}
	var built []string
	missing := p.Perturbations[:0]
	for _, perturbation := range p.Perturbations {
		if p.Earlier.Has(perturbation.Name) {
			built = append(built, perturbation.Name)
		} else {
			missing = append(missing, perturbation)
		}
	}
	p.Perturbations = missing
	if len(missing) == 0 {
		return fmt.Errorf("--append: the build has %s already, expected other perturbations", strings.Join(built, ", "))
	}
	if len(built) > 0 {
		a.warn(fmt.Errorf("the build has %s already, which stay as they are", strings.Join(built, ", ")))
	}
	return nil
}
