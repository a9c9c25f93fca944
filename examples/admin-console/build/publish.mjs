import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const PAGE = 'index.html';

/** Files of this kind that are smaller, in bytes, fit in one packet. */
const MIN_COMPRESSED_BYTES = 1024;

/** Fonts and pictures are compressed as they are. */
const COMPRESSIBLE = new Set(['.css', '.js', '.json', '.svg', '.txt', '.wasm']);

/** Each compressed form stands next to its file. The server sends it to clients that accept it. */
const FORMS = {
  '.br': promisify(brotliCompress),
  '.gz': (/** @type {Buffer} */ content) => promisify(gzip)(content, { level: 9 }),
};

/**
 * Puts a fresh build in the place of the old one. At each moment the folder holds every file that its page names: new
 * files come first, then the page, by one rename, and old files go last.
 *
 * @param {string} fresh the folder of the new build. It is used up
 * @param {string} folder the folder that servers read
 * @param {string} digest of the inputs
 */
export async function publish(fresh, folder, digest) {
  // The page holds a place for a nonce, so the server sends it as it makes it.
  const files = pathsIn(fresh).filter((path) => path !== PAGE);
  const compressed = await Promise.all(files.filter(isNew).map((path) => compress(join(fresh, path))));
  mkdirSync(folder, { recursive: true });
  // Marks the folder as one of builds, should this one be killed.
  if (!existsSync(join(folder, '.inputs'))) writeFileSync(join(folder, '.inputs'), '');
  for (const path of [...compressed.flat().map((each) => relative(fresh, each)), ...files, PAGE]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (path === PAGE || isNew(path)) renameSync(join(fresh, path), join(folder, path));
  }
  writeFileSync(join(folder, '.inputs'), digest);
  const names = new Set(['.inputs', PAGE, ...files]);
  for (const path of pathsIn(folder)) {
    if (!names.has(path) && !names.has(path.replace(/\.(?:br|gz)$/, ''))) rmSync(join(folder, path));
  }

  /**
   * The name of an asset has a digest of its content: one that is there is the same.
   * @param {string} path
   */
  function isNew(path) {
    return !path.startsWith(join('assets', sep)) || !existsSync(join(folder, path));
  }
}

/**
 * The files below a folder, as paths from it.
 * @param {string} folder
 */
function pathsIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/**
 * Writes the compressed forms of a file that make it smaller.
 * @param {string} path
 */
async function compress(path) {
  if (!COMPRESSIBLE.has(extname(path))) return [];
  const content = await readFile(path);
  if (content.length < MIN_COMPRESSED_BYTES) return [];
  const written = await Promise.all(
    Object.entries(FORMS).map(async ([ending, encode]) => {
      const encoded = await encode(content);
      if (encoded.length >= content.length) return [];
      await writeFile(`${path}${ending}`, encoded);
      return [`${path}${ending}`];
    }),
  );
  return written.flat();
}
