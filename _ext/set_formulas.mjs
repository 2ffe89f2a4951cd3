// Sets formulas as MathJax does in a page: node _ext/set_formulas.mjs MATHJAX JOB, with a configuration and pairs of TeX
// in a line and on one of its own in the file JOB, which gets the formulas as HTML and their style.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";

const [mathjax, job] = process.argv.slice(2);
const { config, formulas } = JSON.parse(readFileSync(job));
config.loader.paths = { mathjax };
const { startup, tex2chtmlPromise, chtmlStylesheet } = await createRequire(import.meta.url)(`${mathjax}/node-main.js`).init(config);
const html = [];
for (const [line, display] of formulas) {
  html.push(startup.adaptor.outerHTML(await tex2chtmlPromise(line || display, { display: !line })));
}
writeFileSync(job, JSON.stringify({ html, style: startup.adaptor.textContent(chtmlStylesheet()) }));
