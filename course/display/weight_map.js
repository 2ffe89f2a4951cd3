// The script of a WeightMap (weight_map.py): sliders, and buttons for names, choose a frame; hovering and the
// arrow keys read a cell. Every number comes from Python. Each figure carries this script; the first one defines it.
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
    this.at = [...this.data.starts];
    // Buttons that exclude each other need a name that no other figure has.
    this.group = "map-" + Math.random().toString(36).slice(2);
    this.names = [...this.querySelectorAll(".settings label")].map((label) => label.textContent);
    this.shows = this.data.values.map((values, i) => this.addControl(values, i));
    this.addReadout();
    this.addKeys();
    const framework = this.names.indexOf("framework");
    if (framework >= 0) this.followPage(framework);
  }

  // JupyterLab has shortcuts on the arrow keys; an element with this attribute keeps them.
  keepKeys(element) {
    element.dataset.lmSuppressShortcuts = "true";
  }

  // The control of a quantity: a slider for numbers, buttons for names. Returns what shows its value.
  addControl(values, i) {
    const setting = this.querySelectorAll(".settings > div")[i];
    const show = values.some((value) => isNaN(value)) ? this.addChoice(setting, values, i) : this.addSlider(setting, values, i);
    show();
    return show;
  }

  addSlider(setting, values, i) {
    const [label, output] = setting.children;
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min: 0, max: values.length - 1 });
    this.keepKeys(input);
    label.append(input);
    const player = this.data.plays?.[i] && this.addPlayer(setting, values, i);
    input.addEventListener("input", () => { player?.stop(); this.go(i, +input.value); });
    return () => {
      input.value = this.at[i];
      input.setAttribute("aria-valuetext", (output.value = values[this.at[i]]));
    };
  }

  addPlayer(setting, values, i) {
    const button = document.createElement("button");
    button.type = "button";
    let timer = 0;
    const stop = () => { clearInterval(timer); timer = 0; button.textContent = "▶ Play"; };
    const step = () => {
      if (this.at[i] < values.length - 1) this.go(i, this.at[i] + 1);
      if (this.at[i] === values.length - 1) stop();
    };
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (this.at[i] === values.length - 1) this.go(i, 0);
      button.textContent = "❚❚ Stop";
      timer = setInterval(step, 500);
    });
    stop();
    setting.append(button);
    return { stop };
  }

  addChoice(setting, values, i) {
    const field = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = this.names[i];
    const inputs = values.map((value, j) => {
      const [label, input, span] = ["label", "input", "span"].map((tag) => document.createElement(tag));
      Object.assign(input, { type: "radio", name: this.group + i, value: j });
      input.addEventListener("change", () => this.go(i, j));
      this.keepKeys(input);
      span.textContent = value;
      label.append(input, span);
      field.append(label);
      return input;
    });
    field.prepend(legend);
    setting.replaceChildren(field);
    return () => { inputs[this.at[i]].checked = true; };
  }

  // A choice between frameworks follows the page's: its switch, or the tabs of a pair.
  followPage(i) {
    const follow = (input) => {
      const j = this.data.values[i].indexOf(input?.labels?.[0]?.textContent.trim());
      if (j >= 0) this.go(i, j);
    };
    document.addEventListener("change", (event) => {
      if (event.target.closest?.(".frameworks, .framework-switch")) follow(event.target);
    }, true);
    const look = () => follow(document.querySelector(".frameworks > input:checked"));
    if (document.readyState === "complete") look();
    else window.addEventListener("load", look, { once: true });
  }

  go(i, index) {
    this.at[i] = index;
    this.shows[i]();
    this.draw();
  }

  addReadout() {
    this.readout = document.createElement("p");
    this.readout.className = "readout";
    this.readout.setAttribute("aria-live", "polite");
    const fingers = matchMedia("(hover: none)").matches;
    this.readout.textContent = fingers ? "Tap a cell to read it." : "Point at a cell, or use the arrow keys.";
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

  // What a list with one entry, or with one for each frame, holds for the positions of the controls.
  frame(list) {
    const index = this.at.reduce((before, at, i) => before * this.data.values[i].length + at, 0);
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
    const picture = this.querySelector(".picture");
    if (picture) {
      picture.src = this.data.pictures[this.at[0]];
      picture.alt = this.names[0] + ": " + this.data.values[0][this.at[0]];
    }
    if (captions.length) this.querySelector(".caption").textContent = this.frame(captions);
    if (this.chosen !== undefined) this.read();
  }

  sides(code) {
    if (code === ".") return "";
    return ["mark", ...[..."nesw"].filter((_, i) => (parseInt(code, 16) >> i) & 1)].join(" ");
  }
});
