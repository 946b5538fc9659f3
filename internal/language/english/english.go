// Package english is what the project knows of English: how text splits into
// tokens and sentences ([Tokens], [Sentence]), the number of nouns and the base
// form of words ([Singular], [IsPlural], [Lemmas]), which words have a function
// and no content ([Function]), "a" and "an" ([Article]), and capitals
// ([CaseOf], [Capital]). Numbers in digits and in words are in package numeral.
//
// Everything else reads and writes questions through this package. Its words
// are in text files beside the code, a list a line, and are of no data set.
package english
