// Package paraphrase drafts questions by a language model behind an
// OpenAI-compatible server, keeps what it answered, and answers again from what
// was kept (Dr.Spider, section 3.2 and appendix A.2).
//
// [Endpoint] asks the server; [Recorder] stands before it and appends each
// answered task to a file, so that an interrupted run loses only the tasks in
// work and a finished one is never asked again; [Recording] answers from such a
// file alone, without a network.
//
// The prompts are those of data/prompts.txt, written for this project: for each
// category an instruction and five worked examples of a sentence, the parts of
// the SQL that it mentions, a paraphrase and an explanation, as in the paper's
// table 4. Nobody has checked a draft: that is for the filter of the perturbation.
package paraphrase
