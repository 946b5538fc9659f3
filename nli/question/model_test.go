package question

import (
	"context"
	"testing"

	"github.com/tabperturb/tabperturb/nli"
)

// judged are pairs of our own, with whether they ask the same.
var judged = []struct {
	premise, hypothesis string
	same                bool
}{
	// Carriers, politeness, counts.
	{"Find the number of pets.", "How many pets are there?", true},
	{"What are the titles of all films?", "Please show me the titles of all films.", true},
	{"Show the name of teachers aged either 32 or 33.", "Which teachers are aged either 32 or 33?", true},
	{"How many pets are owned by students older than 20?", "Find the number of pets owned by students who are older than 20.", true},
	{"List the themes of all concerts and the number of singers in each concert.", "Show the themes for all concerts and how many singers are in each.", true},
	{"Show the names of the nurses.", "Who are the nurses? List their names.", true},
	// What values and carriers imply.
	{"What are the ids of the students who do not own cats as pets?", "Find the ids of students who don't own cats.", true},
	{"Which singers come from a country whose name is France?", "Which singers are from France?", true},
	{"List the players whose country is France.", "List the players from France.", true},
	{"Show the average age of American drivers.", "Show the average age of drivers from the USA.", true},
	{"What is the average life expectancy of countries in the region of Central Africa?", "For countries in Central Africa, what is the average life expectancy?", true},
	{"What is the text of the document with the name 'Summer notes'?", "What is the text of the document 'Summer notes'?", true},
	// Numbers and comparisons.
	{"Find all airlines that have at least 10 flights.", "Find all airlines that have at least ten flights.", true},
	{"Find all airlines that have at least 10 flights.", "Find all airlines with 10 or more flights.", true},
	{"Which shops sell more than 3 brands?", "Which shops sell at least 4 brands?", true},
	{"Which cities have over 5,000,000 inhabitants?", "Which cities have more than 5 million inhabitants?", true},
	{"Find the ships built before 1900.", "Find the ships that were built prior to 1900.", true},
	// Extremes and orders.
	{"What is the name of the oldest dog?", "What is the name of the dog with the highest age?", true},
	{"Which airport has the highest number of flights?", "Which airport has the most flights?", true},
	{"List the cars in descending order of price.", "List the cars from the most expensive to the cheapest.", true},
	{"List all songs sorted by title.", "List all songs ordered by title.", true},
	// Synonyms.
	{"Find the first name of the heads of departments.", "Find the given name of the leaders of departments.", true},
	{"How many movies did each director make?", "How many films did each director make?", true},

	{"List the players from the oldest to the youngest.", "List the players from the youngest to the oldest.", false},
	{"List the cars in ascending order of weight.", "List the cars in descending order of weight.", false},
	{"Show the airlines in the USA.", "Show the airlines in France.", false},
	{"How many flights leave from 'APG'?", "How many flights leave from 'CVO'?", false},
	{"Which flights go from Paris to Rome?", "Which flights go from Rome to Paris?", false},
	{"What are the names of students who have a dog?", "What are the names of students?", false},
	{"What are the names of students?", "What are the names of students older than 20?", false},
	{"Find the shops with more than 3 employees.", "Find the shops with less than 3 employees.", false},
	{"Find the shops with more than 3 employees.", "Find the shops with at least 3 employees.", false},
	{"Find the shops with more than 3 employees.", "Find the shops with more than 5 employees.", false},
	{"Find the three largest cities.", "Find the four largest cities.", false},
	{"What is the youngest singer's name?", "What is the oldest singer's name?", false},
	{"What is the average price of the products?", "What is the maximum price of the products?", false},
	{"Which teachers do not teach math?", "Which teachers teach math?", false},
	{"What is the name of the oldest dog?", "What is the weight of the oldest dog?", false},
	{"Show the name and the age of each singer.", "Show the age of each singer.", false},
	{"How many singers are there?", "What are the names of the singers?", false},
	{"What is the capacity of the largest stadium?", "Which pilot won most matches?", false},
}

func TestJudgements(t *testing.T) {
	pairs := make([]nli.Pair, len(judged))
	for i, c := range judged {
		pairs[i] = nli.Pair{Premise: c.premise, Hypothesis: c.hypothesis}
	}
	scores, err := Default().Classify(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range judged {
		if s := scores[i]; (s.Entailment >= .5) != c.same {
			t.Errorf("%q, %q: entailment %.3f, want the same: %v", c.premise, c.hypothesis, s.Entailment, c.same)
		}
	}
}
