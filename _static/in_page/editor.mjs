// A plain text field that is good enough for Python: Tab and Enter indent, and undo works.

const STEP = "    ";

/** Put text in the place of the selection, as if it was typed, so that it can be undone. */
const type = (area, text) => {
  if (!document.execCommand("insertText", false, text)) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
};

const startOfLine = (area) => area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;

const newLine = (area) => {
  const line = area.value.slice(startOfLine(area), area.selectionStart);
  const indent = line.match(/^ */)[0];
  type(area, `\n${indent}${/:\s*(#.*)?$/.test(line) ? STEP : ""}`);
};

/** Move the lines of the selection by one step, to the right or back. */
const shift = (area, back) => {
  const start = startOfLine(area);
  const end = Math.max(area.selectionEnd, area.selectionStart);
  const lines = area.value.slice(start, end).split("\n");
  const moved = lines.map((line) => (back ? line.replace(/^ {1,4}/, "") : STEP + line)).join("\n");
  area.setSelectionRange(start, end);
  if (moved) type(area, moved);
  else area.setRangeText("");
  area.setSelectionRange(lines.length > 1 ? start : area.selectionEnd, start + moved.length);
};

const tab = (area, back) => {
  const several = area.value.slice(area.selectionStart, area.selectionEnd).includes("\n");
  if (back || several) return shift(area, back);
  const column = area.selectionStart - startOfLine(area);
  return type(area, STEP.slice(column % STEP.length));
};

/** Make a text field an editor. `run` is called for Ctrl+Enter. Escape lets the next Tab leave the field. */
export const makeEditor = (area, run) => {
  let leaves = false;
  const fit = () => (area.rows = Math.min(30, Math.max(8, area.value.split("\n").length + 1)));
  area.addEventListener("input", fit);
  area.addEventListener("blur", () => (leaves = false));
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaves = true;
    else if (event.key === "Tab" && !leaves) {
      event.preventDefault();
      tab(area, event.shiftKey);
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      newLine(area);
    } else if (event.key !== "Tab" && event.key !== "Shift") leaves = false;
  });
  fit();
};
