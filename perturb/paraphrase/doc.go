// Package paraphrase drafts questions by a language model behind an
// OpenAI-compatible server (Dr.Spider, section 3.2 and appendix A.2).
//
// [Drafter] asks for the drafts of all categories in one request per question. Its
// client keeps what is answered in a file, so that an interrupted run loses only the
// questions in work, a finished one is never asked again, and the file alone repeats it.
//
// The prompt is made of data/prompts.txt, written for this project: for each
// category an instruction and five worked examples of a sentence, the parts of
// the SQL that it mentions, a paraphrase and an explanation, as in the paper's
// table 4. Nobody has checked a draft: that is for the filter of the perturbation.
package paraphrase
