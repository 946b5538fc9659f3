package question

import "strings"

// numberForHowMany asks for "the number of singers" in the place of "How many
// singers are there?"
func numberForHowMany(s *source) []string {
	at := howManyQuestion.FindStringIndex(s.question)
	if at == nil || !s.counts() || strings.Contains(strings.ToLower(s.question), "total") || strings.ContainsAny(trimEnd(s.question), ".?!") {
		return nil
	}
	end, ok := s.thing(at[1])
	if !ok {
		return nil
	}
	things, rest := s.question[at[1]:end], trimEnd(strings.TrimSpace(s.question[end:]))
	rest, ok = nominal(things, rest)
	if !ok {
		return nil
	}
	phrase := things + " " + rest
	return []string{
		asked("What is the number of " + phrase),
		asked("What is the total number of " + phrase),
		ordered("Find the number of " + phrase),
		ordered("Give me the total number of " + phrase),
		ordered("Count the " + phrase),
	}
}

// nominal turns what follows "How many singers" into what follows "the number of
// singers".
func nominal(things, rest string) (string, bool) {
	low := strings.ToLower(rest)
	who := "that"
	if isPerson(things) {
		who = "who"
	}
	first, _, _ := strings.Cut(low, " ")
	switch {
	case low == "", low == "are there", low == "are listed", low == "exist":
		return "", true
	case strings.HasPrefix(low, "are there "), strings.HasPrefix(low, "were there "):
		_, rest, _ = strings.Cut(rest[4:], "there ")
		return rest, true
	case low == "do we have" || low == "do you have":
		return rest[len("do "):], true
	case first == "does" && strings.HasSuffix(low, " have"):
		return "that " + strings.TrimSpace(rest[len("does"):len(rest)-len(" have")]) + " has", true
	case strings.Contains(low, " each"):
		return "", false
	case first == "are" || first == "were" || first == "have":
		return who + " " + rest, true
	case first != "do" && first != "did" && startsClause(first):
		return who + " " + rest, true
	}
	return "", false
}
