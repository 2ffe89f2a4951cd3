// Judges answers away from the page: Python and NumPy for the browser, the course's own judge, and for answers in
// PyTorch a small one of the course (`course/page_torch`), which is loaded for them alone.
// By its port it is told { id, exercise, text, framework }, and says { stage } and { bytes } while it loads, then
// { id, verdict } or { id, failure }. Told a seed too, it lets the stored language model write with the answer as one
// of its parts, and the verdict holds what was written. Told no id, it loads what a check needs.
import { loadPyodide } from "./pyodide.mjs";

const PACKAGES = "/course";
// Where the page has the model, and where Python looks for it.
const [MODEL, STORED] = ["../figures/prose_model.npz", `${PACKAGES}/course/data/prose_model.npz`];

// NumPy was built against a C library with `backtrace`, which Pyodide lacks: without it an array of 256 KiB
// ends the process. This module of WebAssembly exports one that finds no frames:
// (func (export "backtrace") (param i32 i32) (result i32) i32.const 0)
const BACKTRACE = [
  "0061736d01000000", // the magic number and the version
  "000f0864796c696e6b2e30010400000000", // dylink.0: no memory, no table
  "010701" + "60027f7f017f", // one type: two numbers to one
  "03020100", // one function of it
  "070d01" + "096261636b7472616365" + "0000", // exported as "backtrace"
  "0a06010400" + "41000b", // i32.const 0
].join("");

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));

/** Say how much has come, of whatever is loaded, and unpack what lies packed beside this module. */
const countBytes = (send) => {
  const { fetch } = self;
  let bytes = 0;
  const transform = (part, to) => (send({ bytes: (bytes += part.length) }), to.enqueue(part));
  self.fetch = async (address, ...options) => {
    const isPacked = /\.(wasm|zip)$/.test(address);
    const answer = await fetch(isPacked ? `${address}.bin` : address, ...options);
    const body = answer.body.pipeThrough(new TransformStream({ transform }));
    if (!isPacked || !answer.ok) return new Response(body, answer);
    const headers = { "Content-Type": "application/wasm" }; // so that it is compiled while it comes
    return new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers });
  };
};

const fetched = async (name) => {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be loaded (${answer.status})`);
  return answer.arrayBuffer();
};

// What code in a field could put in the place of these changes nothing here.
const { apply } = Reflect;
const { parse } = JSON;
const post = MessagePort.prototype.postMessage;

// All that `import js` finds. Python's own start asks for `eval`, which the page's policy forbids anyway.
const NOTHING = Object.freeze({ __proto__: null, eval: () => { throw new Error("JavaScript cannot be run here"); } });

const start = async (say) => {
  say("Loading Python …");
  const others = Promise.all(["numpy.zip", "course.zip"].map(fetched));
  others.catch(() => {}); // told below
  const pyodide = await loadPyodide({ indexURL: new URL(".", import.meta.url).href, jsglobals: NOTHING });
  pyodide.setStdin({ error: true });
  const [numpy, course] = await others;
  say("Loading NumPy …");
  pyodide.FS.writeFile("/lib/backtrace.so", bytesOf(BACKTRACE));
  await pyodide._api.loadDynlib("/lib/backtrace.so", true, []);
  pyodide.FS.mkdirTree(PACKAGES);
  for (const archive of [numpy, course]) pyodide.unpackArchive(archive, "zip", { extractDir: PACKAGES });
  pyodide.unregisterJsModule("pyodide_js"); // an answer has no use for it
  pyodide.runPython(`import sys; sys.path.insert(0, "${PACKAGES}"); sys.modules.pop("pyodide_js", None)`);
  return pyodide;
};

const loadJudge = (pyodide, say) => {
  say("Loading the exercises …");
  return pyodide.runPython(`
import json
from functools import partial
from autograder.page.check_text import check_text
from autograder.model.catalogue import all_exercises
all_exercises()
def judge(name, text, framework, *seed):
    judge = check_text
    if seed:
        from course.gpt.write_with import write_with as judge
    if framework == "torch":
        from course.page_torch.in_page import judged
        judge = partial(judged, judge)
    return json.dumps(judge(name, text, framework, *seed))
judge`);
};

const loadModel = async (pyodide, say) => {
  say("Loading the model …");
  pyodide.FS.writeFile(STORED, new Uint8Array(await fetched(MODEL)));
  return pyodide;
};

const loadTorch = async (pyodide, say) => {
  say("Loading PyTorch for the page …");
  pyodide.unpackArchive(await fetched("torch.zip"), "zip", { extractDir: PACKAGES });
  pyodide.runPython("import importlib; importlib.invalidate_caches(); import course.page_torch.in_page");
  return pyodide;
};

/** Answer what comes by this port, which code in a field does not get hold of. */
export const serve = (port) => {
  let [ready, judge, model, torch] = [];
  const send = (message) => apply(post, port, [message]);
  countBytes(send);
  /** `runs`: nothing is left to load, so that the time counts. */
  const say = (stage, runs = false) => send({ stage, runs });

  port.onmessage = async ({ data: { id, exercise, text, framework, seed } }) => {
    try {
      ready ??= start(say);
      const pyodide = await ready;
      judge ??= loadJudge(pyodide, say);
      if (framework === "torch") await (torch ??= loadTorch(pyodide, say));
      if (!id) return say("Python is ready.");
      const writes = seed !== undefined;
      if (writes) model ??= await loadModel(pyodide, say);
      say(writes ? "Writing …" : "Checking …", true);
      send({ id, verdict: parse(judge(exercise, text, framework, ...(writes ? [seed] : []))) });
    } catch (error) {
      send({ id, failure: String(error.message ?? error) });
    }
  };
};
