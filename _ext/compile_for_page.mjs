// Compiles the Python modules of an archive with the Python that a page runs, so that no page does it at each start:
// node _ext/compile_for_page.mjs PYODIDE ARCHIVE TARGET [FOLDER …]
// The modules of these folders, or single ones, keep their docstrings, and their sources beside what is compiled.
// Nothing is compressed: that is done once for the whole archive.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, source, target, ...kept] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
// Without the columns of each instruction, which no page shows of these modules: a tenth less to load.
const env = { HOME: "/home", PYTHONNODEBUGRANGES: "1" };
const pyodide = await loadPyodide({ indexURL: `${folder}/`, env });
pyodide.FS.writeFile("/source.zip", readFileSync(source));
pyodide.globals.set("kept", JSON.stringify(kept));
pyodide.runPython(`
import json, marshal
from importlib.util import MAGIC_NUMBER, cache_from_source
from zipfile import ZipFile, ZipInfo

UNCHECKED = (1).to_bytes(4, "little") + bytes(8)  # by a hash, which is not looked at

def compiled(name, content, optimize):
    code = compile(content, "/course/" + name, "exec", dont_inherit=True, optimize=optimize)
    return MAGIC_NUMBER + UNCHECKED + marshal.dumps(code)

with ZipFile("/source.zip") as old, ZipFile("/target.zip", "w") as new:
    for name in old.namelist():
        content = old.read(name)
        keeps = name.startswith(tuple(json.loads(kept)))
        if keeps or not name.endswith(".py"):
            new.writestr(ZipInfo(name), content)
        if name.endswith(".py"):
            target = cache_from_source(name) if keeps else name + "c"
            new.writestr(ZipInfo(target), compiled(name, content, 0 if keeps else 2))
`);
writeFileSync(target, pyodide.FS.readFile("/target.zip"));
