// The field as an editor for Python: CodeMirror, in the colours of the book's code. The text area stays what is read.
import {
  bracketMatching, closeBrackets, closeBracketsKeymap, Decoration, defaultKeymap, EditorView, history, historyKeymap,
  indentOnInput, indentUnit, indentWithTab, keymap, lineNumbers, python, search, searchKeymap, StateEffect, StateField,
  syntaxHighlighting, tagHighlighter, tags,
} from "./codemirror.mjs";

// By the names that Pygments gives them.
const colours = tagHighlighter([
  [tags.keyword, "k"], [tags.bool, "kc"], [tags.null, "kc"], [tags.operatorKeyword, "ow"], [tags.operator, "o"],
  [tags.number, "m"], [tags.string, "s"], [tags.comment, "c"], [tags.self, "bp"],
  [tags.definition(tags.className), "nc"], [tags.function(tags.definition(tags.variableName)), "nf"],
].map(([tag, name]) => ({ tag, class: name })));

const failing = StateEffect.define();
const failed = StateField.define({
  create: () => Decoration.none,
  update: (marked, { docChanged, effects }) =>
    effects.find((effect) => effect.is(failing))?.value ?? (docChanged ? Decoration.none : marked),
  provide: (field) => EditorView.decorations.from(field),
});

const lineWith = (state, number, spec) => Decoration.line(spec).range(state.doc.line(number).from);

/** Each line knows its indent: where it wraps, it goes on further in, as the book's code does. */
const indents = EditorView.decorations.compute(["doc"], (state) => Decoration.set(
  [...state.doc.iterLines()].map((text, i) => lineWith(state, i + 1, { attributes: { style: `--indent:${text.search(/\S|$/)}` } }))));

/** Put an editor in the place of a text area. `run` is called for Ctrl+Enter. */
export const makeEditor = (area, run) => {
  const names = ["aria-label", "aria-describedby"];
  const view = new EditorView({
    doc: area.value,
    extensions: [
      keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }]),
      [[indentWithTab], closeBracketsKeymap, searchKeymap, historyKeymap, defaultKeymap].map((keys) => keymap.of(keys)),
      [lineNumbers(), history(), python(), indentUnit.of("    "), indentOnInput(), bracketMatching(), closeBrackets()],
      [search({ top: true }), syntaxHighlighting(colours), failed, indents, EditorView.lineWrapping],
      EditorView.editorAttributes.of({ class: "highlight" }),
      EditorView.contentAttributes.of({ tabindex: "0" }), // an area that scrolls is reached by keys
      EditorView.contentAttributes.of(Object.fromEntries(names.map((name) => [name, area.getAttribute(name)]))),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return;
        area.value = state.doc;
        area.dispatchEvent(new Event("input", { bubbles: true }));
      }),
    ],
  });
  view.dom.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page takes "/" for its search
    if (event.key === "Escape") view.setTabFocusMode(10_000); // the next Tab leaves; CodeMirror gives it two seconds
  });
  area.hidden = true;
  area.after(view.dom);
  return {
    /** Another text, which can be undone. */
    put: (insert) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }),
    /** Mark a line, with words beside it, until something is typed. */
    mark: (number, words) => {
      if (number > view.state.doc.lines) return;
      const line = lineWith(view.state, number, { class: "in-page-failing", attributes: { "data-words": words } });
      view.dispatch({ effects: failing.of(Decoration.set([line])) });
    },
    /** Put the caret where the answer is written: what the stub raises is selected. */
    focus: () => {
      const { 0: stub, index: anchor } = /raise NotImplementedError|$/.exec(area.value);
      view.dispatch({ selection: { anchor, head: anchor + stub.length } });
      view.focus();
      area.parentElement.scrollIntoView({ block: "nearest" });
    },
  };
};
