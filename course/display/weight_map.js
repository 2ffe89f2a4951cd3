// The script of a WeightMap (weight_map.py): its sliders choose a frame, hovering and the arrow keys read
// a cell. Every number comes from Python. Each figure carries this script; the first one defines it.
// weight_map.py joins these lines into one: a comment has a line of its own, a statement its semicolon.
customElements.get("attention-map") || customElements.define("attention-map", class extends HTMLElement {
  connectedCallback() {
    // While a page is parsed, an element is connected before it has its children.
    if (document.readyState !== "loading") this.start();
    else document.addEventListener("DOMContentLoaded", () => this.start(), { once: true });
  }

  start() {
    // A notebook may move a figure that is already set up.
    if (this.data) return;
    this.data = JSON.parse(this.querySelector("script").textContent);
    this.table = this.querySelector("table");
    this.cells = [...this.querySelectorAll("td:not(.sum)")];
    this.sums = [...this.querySelectorAll("td.sum")];
    this.columns = [...this.querySelectorAll(".names th")];
    this.rows = [...this.querySelectorAll("tbody th")];
    this.inputs = this.data.values.map((values, i) => this.addSlider(values, i));
    this.addReadout();
    this.addKeys();
  }

  // JupyterLab has shortcuts on the arrow keys; an element with this attribute keeps them.
  keepKeys(element) {
    element.dataset.lmSuppressShortcuts = "true";
  }

  addSlider(values, i) {
    const [label, output] = this.querySelectorAll(".settings > div")[i].children;
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: 0, max: values.length - 1, value: this.data.starts[i] });
    const show = () => input.setAttribute("aria-valuetext", (output.value = values[input.value]));
    input.addEventListener("input", () => { show(); this.draw(); });
    show();
    this.keepKeys(input);
    label.append(input);
    return input;
  }

  addReadout() {
    this.readout = document.createElement("p");
    this.readout.className = "readout";
    this.readout.setAttribute("aria-live", "polite");
    this.readout.textContent = "Point at a cell, or use the arrow keys.";
    this.querySelector(".foot").append(this.readout);
  }

  addKeys() {
    this.table.setAttribute("role", "grid");
    this.cells.forEach((cell, i) => { cell.tabIndex = i ? -1 : 0; this.keepKeys(cell); });
    const reach = (event) => {
      const i = this.cells.indexOf(event.target);
      if (i >= 0) this.choose(i);
    };
    this.table.addEventListener("pointerover", reach);
    this.table.addEventListener("focusin", reach);
    this.table.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const i = this.cells.indexOf(event.target);
    if (i < 0 || event.altKey || event.metaKey || event.shiftKey) return;
    const [bottom, right] = [this.rows.length - 1, this.columns.length - 1];
    const [row, column] = this.place(i);
    const next = {
      ArrowUp: [Math.max(row - 1, 0), column],
      ArrowDown: [Math.min(row + 1, bottom), column],
      ArrowLeft: [row, Math.max(column - 1, 0)],
      ArrowRight: [row, Math.min(column + 1, right)],
      Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? bottom : row, right],
    }[event.key];
    if (!next) return;
    event.preventDefault();
    this.cells[next[0] * this.columns.length + next[1]].focus();
  }

  place(i) {
    return [Math.floor(i / this.columns.length), i % this.columns.length];
  }

  choose(i) {
    this.mark(false);
    this.chosen = i;
    this.mark(true);
    this.read();
  }

  mark(on) {
    const i = this.chosen ?? 0;
    const [row, column] = this.place(i);
    for (const element of [this.cells[i], this.rows[row], this.columns[column]]) element.toggleAttribute("data-on", on);
    this.cells[i].tabIndex = on ? 0 : -1;
  }

  read() {
    const [rowName, columnName, markName] = this.data.labels;
    const [row, column] = this.place(this.chosen);
    const name = (kind, header) => kind + " ‘" + header.textContent + "’";
    const number = this.frame(this.data.frames)[this.chosen].toFixed(this.data.digits[1]);
    const marked = this.cells[this.chosen].classList.contains("mark") ? " (" + markName + ")" : "";
    const path = name(rowName, this.rows[row]) + " → " + name(columnName, this.columns[column]);
    this.readout.textContent = path + ": " + number + marked;
  }

  // What a list with one entry, or with one for each frame, holds for the sliders' positions.
  frame(list) {
    const index = this.inputs.reduce((before, input) => before * (+input.max + 1) + +input.value, 0);
    return list[index % list.length];
  }

  draw() {
    const { frames, sums, marks, captions, digits } = this.data;
    const [numbers, codes, totals] = [this.frame(frames), this.frame(marks), this.frame(sums)];
    this.cells.forEach((cell, i) => {
      cell.style.setProperty("--v", numbers[i]);
      cell.textContent = numbers[i].toFixed(digits[0]);
      cell.className = codes ? this.sides(codes[i]) : "";
    });
    this.sums.forEach((cell, i) => { cell.textContent = totals[i].toFixed(digits[1]); });
    if (captions.length) this.querySelector(".caption").textContent = this.frame(captions);
    if (this.chosen !== undefined) this.read();
  }

  sides(code) {
    if (code === ".") return "";
    return ["mark", ...[..."nesw"].filter((_, i) => (parseInt(code, 16) >> i) & 1)].join(" ");
  }
});
