// Judges answers in NumPy, away from the page: Python and NumPy for the browser, and the course's own judge.
// It is told { id, exercise, text } and says { stage } while it loads, then { id, verdict } or { id, failure }.
import { loadPyodide } from "./pyodide.mjs";

const PACKAGES = "/course";

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

const fetched = async (name) => {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be loaded (${answer.status})`);
  return answer.arrayBuffer();
};

const say = (stage) => postMessage({ stage });

const start = async () => {
  say("Loading Python …");
  const others = Promise.all(["numpy.zip", "course.zip"].map(fetched));
  others.catch(() => {}); // told below
  const pyodide = await loadPyodide({ indexURL: new URL(".", import.meta.url).href });
  const [numpy, course] = await others;
  say("Loading NumPy …");
  pyodide.FS.writeFile("/lib/backtrace.so", bytesOf(BACKTRACE));
  await pyodide._api.loadDynlib("/lib/backtrace.so", true, []);
  pyodide.FS.mkdirTree(PACKAGES);
  for (const archive of [numpy, course]) pyodide.unpackArchive(archive, "zip", { extractDir: PACKAGES });
  say("Loading the exercises …");
  pyodide.runPython(`import sys; sys.path.insert(0, "${PACKAGES}")`);
  return pyodide.runPython(`
import json
from autograder.learner.in_page import check_text
from autograder.model.catalogue import all_exercises
all_exercises()
lambda name, text: json.dumps(check_text(name, text))`);
};

let ready = null;

addEventListener("message", async ({ data: { id, exercise, text } }) => {
  try {
    ready ??= start();
    const check = await ready;
    say("Checking …");
    postMessage({ id, verdict: JSON.parse(check(exercise, text)) });
  } catch (error) {
    postMessage({ id, failure: String(error.message ?? error) });
  }
});
