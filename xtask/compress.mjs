// node compress.mjs FILE…: writes FILE.br and FILE.gz beside each file, as small as they get.
import { readFile, rename, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** Writes under the final name only what is complete. */
async function write(path, content) {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

async function compress(path) {
  const content = await readFile(path);
  const brotli = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await Promise.all([
    promisify(brotliCompress)(content, { params: brotli }).then((small) => write(`${path}.br`, small)),
    promisify(gzip)(content, { level: 9 }).then((small) => write(`${path}.gz`, small)),
  ]);
}

await Promise.all(process.argv.slice(2).map(compress));
