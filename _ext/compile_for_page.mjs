// Compiles the Python modules of an archive with the Python that a page runs, so that no page does it at each start:
// node _ext/compile_for_page.mjs PYODIDE ARCHIVE TARGET [--docstrings] [FOLDER …]
// The modules of these folders keep their sources beside what is compiled. Docstrings are left out but there, and
// where they are asked for: NumPy puts its functions together with them.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, source, target, ...kept] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const pyodide = await loadPyodide({ indexURL: `${folder}/` });
pyodide.FS.writeFile("/source.zip", readFileSync(source));
pyodide.globals.set("kept", JSON.stringify(kept));
pyodide.globals.set("level", kept.includes("--docstrings") ? 0 : 2);
pyodide.runPython(`
import json, marshal
from importlib.util import MAGIC_NUMBER, cache_from_source
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

UNCHECKED = (1).to_bytes(4, "little") + bytes(8)  # by a hash, which is not looked at

def compiled(name, content, optimize):
    code = compile(content, "/course/" + name, "exec", dont_inherit=True, optimize=optimize)
    return MAGIC_NUMBER + UNCHECKED + marshal.dumps(code)

with ZipFile("/source.zip") as old, ZipFile("/target.zip", "w", ZIP_DEFLATED, compresslevel=9) as new:
    def write(name, content):
        entry = ZipInfo(name)
        entry.compress_type = ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        new.writestr(entry, content)

    for name in old.namelist():
        content = old.read(name)
        keeps = name.split("/")[0] in json.loads(kept)
        if keeps or not name.endswith(".py"):
            write(name, content)
        if name.endswith(".py"):
            write(cache_from_source(name) if keeps else name + "c", compiled(name, content, 0 if keeps else level))
`);
writeFileSync(target, pyodide.FS.readFile("/target.zip"));
