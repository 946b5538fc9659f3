// Package english has the rules and words of English: how text splits into
// tokens and sentences ([Tokens], [Sentence]), the number of nouns and the base
// form of words ([Singular], [IsPlural], [Lemmas]), which words have a function
// and no content ([IsFunction], [IsPreposition]), "a" and "an" ([Article]), and capitals
// ([CaseOf], [Capital]). Numbers in digits and in words are in package numeral.
//
// All other packages read and write questions through this one. Its words
// are in text files of this folder and come from no data set.
package english
