package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabperturb/tabperturb/benchmark"
	"github.com/tabperturb/tabperturb/perturb"
)

// over says what becomes of a build that is in place already.
type over struct{ force, add bool }

func (o *over) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&o.force, "force", false, "build in the place of a build that is there")
	fl.BoolVar(&o.add, "append", false, "add perturbations to the build that is there, with the bytes of one build of all; needs its data directory, seed and settings")
	cmd.MarkFlagsMutuallyExclusive("force", "append")
	cmd.MarkFlagsMutuallyExclusive("shard", "append")
}

// check refuses to build over what is there unless a flag says what becomes of it.
func (o *over) check(out string, part, resume bool) error {
	switch there := benchmark.IsBuild(out); {
	case o.add && !there:
		return fmt.Errorf("--append: %s holds no build, expected one to add to", out)
	case o.add, o.force, !there, part && resume: // a share that is done already stays
		return nil
	case part:
		return fmt.Errorf("%s holds a build, expected --force to build in its place, or another --out", out)
	}
	return fmt.Errorf("%s holds a build, expected --append to add to it, --force to build in its place, or another --out", out)
}

// earlier returns the manifest of the build that is added to; nil where none is. Of flags that
// are not given the build's hold.
func (f *buildFlags) earlier() (*benchmark.Manifest, error) {
	if !f.add {
		return nil, nil
	}
	m, err := benchmark.ReadManifest(f.out)
	if err != nil {
		return nil, err
	}
	if !f.samplesSet {
		f.samples, f.samplesSet = m.Samples, m.Settings.Samples || m.Samples != benchmark.DefaultSamples
	}
	if f.rows == 0 {
		f.rows = m.Settings.Rows
	}
	if f.rows > 0 {
		return m, nil
	}
	has, known := m.Writes(f.out)
	switch {
	case !known && f.databases == "auto":
		return nil, fmt.Errorf("--append: %s has no records, which would tell whether it has databases, expected --databases full or none", f.out)
	case known && f.databases != "auto" && f.databases != string(has):
		return nil, fmt.Errorf("--append: %s was built with --databases %s, expected the same of what is added", f.out, has)
	case known:
		f.databases = string(has)
	}
	return m, nil
}

// leaveOut leaves out the perturbations that the build has already.
func (o *over) leaveOut(a *app, in *buildInputs, earlier *benchmark.Manifest) error {
	if earlier == nil {
		return nil
	}
	var there []string
	in.perturbations = slices.DeleteFunc(in.perturbations, func(p *perturb.Perturbation) bool {
		has := earlier.Has(p.Name)
		if has {
			there = append(there, p.Name)
		}
		return has
	})
	if len(in.perturbations) == 0 {
		return fmt.Errorf("--append: the build has %s already, expected other perturbations", strings.Join(there, ", "))
	}
	if len(there) > 0 {
		a.warn(fmt.Errorf("the build has %s already, which stay as they are", strings.Join(there, ", ")))
	}
	return nil
}

// fits tells why what is built cannot stand beside what is there.
func (o *over) fits(c *benchmark.Config, out string) error {
	if c.Earlier == nil {
		return nil
	}
	if err := c.Earlier.Takes(c); err != nil {
		return fmt.Errorf("--append: %s %w", out, err)
	}
	return nil
}
