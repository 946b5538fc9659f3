package review

// NewVerdicts replays decisions in their order.
func NewVerdicts(annotator string, decisions []Decision) *Verdicts {
	h := newHistory()
	for i := range decisions {
		h.apply(&decisions[i])
	}
	return h.verdicts(annotator)
}

// ReadDecisions reads a file of decisions.
func ReadDecisions(path string, report func(error)) (decisions []Decision, err error) {
	err = eachDecision(path, report, func(d *Decision) { decisions = append(decisions, *d) })
	if err != nil {
		return nil, err
	}
	return decisions, nil
}
