// How the search ranks pages; Sphinx puts it into the page of the search (html_search_scorer). The numbers are
// Sphinx's own. A name such as masked_softmax stands in the code of many chapters, all with the same score: the
// chapter whose title or file holds all words of the question comes first, and the shorter title before a longer. What
// a chapter teaches that its title does not name stands in TAUGHT.
const TAUGHT = {
  masked_softmax: ["padding"],
  dot_product: ["sqrt d_k", "scaled dot product"],
  additive: ["bahdanau attention"],
  global_local: ["luong attention"],
  soft_hard: ["hard attention", "reinforce"],
  self_attention: ["causal mask", "positional encoding"],
  transformer: ["layer norm", "cross attention", "encoder", "decoder"],
  translation: ["beam search", "bleu"],
  memory: ["pointer network"],
  positions: ["rope", "alibi", "rotary position embedding", "yarn"],
  normalisers: ["sparsemax", "gumbel", "attention sink", "gated attention", "differential attention"],
  efficient: ["kv cache", "flashattention", "flexattention", "online softmax"],
  sparse: ["gqa", "mqa", "grouped query attention", "multi query attention", "sliding window", "linear attention"],
  compressed: ["mla", "latent attention", "paged attention", "pagedattention", "quantisation"],
  recurrence: ["mamba", "delta rule"],
  sets: ["set transformer", "perceiver", "vit", "vision transformer", "detr", "graph attention", "gat", "hopfield network"],
  language_model: ["bpe", "byte pair encoding", "top p", "perplexity", "temperature", "swiglu", "rmsnorm", "weight tying",
    "speculative decoding"],
  gpt: ["prefill"],
  looking_inside: ["induction head"],
};

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score([page, title, , , score]) {
    const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const asked = words(new URLSearchParams(location.search).get("q") ?? "");
    if (title.includes(" > ")) return score; // a section: its page has a line of its own
    const file = page.split("/").pop();
    if (file === "glossary") return Math.min(score, 20); // a chapter that teaches the term comes before its entry
    const names = [words(title), words(file), ...(TAUGHT[file] ?? []).map(words)];
    const fits = names.filter((name) => asked.length && asked.every((word) => name.includes(word)));
    return score + Math.max(0, ...fits.map((name) => 20 + (20 * asked.length) / name.length));
  },
};
