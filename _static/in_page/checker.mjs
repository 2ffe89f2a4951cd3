// The page's side of the worker: one worker for the page, started when a check is near, ended when it must be.

// Loading is not counted. On a slow machine the slowest exercise takes a few seconds.
export const SECONDS = 20;

let worker = null;
let current = null; // the check under way: { id, resolve, say, timer }
let loading = { stage: "", bytes: 0 }; // what the worker did last, and how much of what it loads has come
const watching = [];

const tell = (news) => {
  loading = { ...loading, ...news };
  watching.forEach((listener) => listener(loading));
};

/** Tell a listener how far Python is, now and at each change. */
export const watch = (listener) => {
  watching.push(listener);
  listener(loading);
};

const end = (result) => {
  if (!current) return;
  clearTimeout(current.timer);
  const { resolve } = current;
  current = null;
  resolve(result);
};

/** End the worker with whatever it runs; the next check starts another. */
const drop = (result) => {
  worker?.end();
  worker = null;
  tell({ stage: "" });
  end(result);
};

const receive = ({ data: { id, failure, runs, verdict, ...news } }) => {
  if (news.stage || news.bytes) tell(news);
  if (failure && (!id || id === current?.id)) return drop({ failure }); // half of it may be loaded: begin anew
  if (!current) return;
  if (news.stage) current.say(news.stage);
  if (runs) current.timer = setTimeout(stop, SECONDS * 1000);
  if (verdict && id === current.id) end({ verdict });
};

// A worker that begins as a blob has the page's policy, so that nothing in it connects to another host. It gets a
// port of its own: what code in a field sends with `postMessage` comes here, where nobody listens.
const address = new URL("worker.mjs", import.meta.url).href;
const begin = `addEventListener("message", ({ ports }) =>
  import(${JSON.stringify(address)}).then(({ serve }) => serve(ports[0]), reportError), { once: true });`;
const blob = URL.createObjectURL(new Blob([begin], { type: "text/javascript" }));

const started = () => {
  const made = new Worker(blob, { type: "module" });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = receive;
  made.addEventListener("error", (event) => drop({ failure: event.message || "the worker cannot be loaded" }));
  made.postMessage(null, [port2]);
  return { port: port1, frameworks: new Set(), end: () => (made.terminate(), port1.close()) };
};

/** Whether a check is under way, of whatever exercise. */
export const isBusy = () => current !== null;

/** Start Python before it is needed, with what answers in a framework need. */
export const warm = (framework = "numpy") => {
  if (!worker) {
    worker = started();
    tell({ stage: "Loading Python …", bytes: 0 });
  }
  if (worker.frameworks.has(framework)) return;
  worker.frameworks.add(framework);
  worker.port.postMessage({ framework });
};

/** Stop the check under way. While its reader looks at the answer, the next worker starts. */
export const stop = () => {
  drop({ stopped: true });
  warm();
};

const ask = (request, say) =>
  new Promise((resolve) => {
    const id = crypto.getRandomValues(new Uint32Array(4)).join("-");
    current = { id, resolve, say };
    warm(request.framework);
    say(loading.stage);
    worker.port.postMessage({ id, ...request });
  });

/** Judge a source in a framework; `say` is told what happens meanwhile. Gives { verdict }, { stopped } or { failure }. */
export const check = (exercise, text, framework, say) => ask({ exercise, text, framework }, say);

/** Judge a source, and let the stored model write with it. Gives the same; a verdict says what was written. */
export const write = (exercise, text, framework, say) => {
  const [seed] = crypto.getRandomValues(new Uint16Array(1));
  return ask({ exercise, text, framework, seed }, say);
};
