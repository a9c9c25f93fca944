// `pnpm run sizes`: what each page of the built console loads, gzipped. The sign-in page has a budget (CON-1).
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const dist = new URL('dist/', import.meta.url);
/** @type {Record<string, { file: string, imports?: string[], dynamicImports?: string[] }>} */
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));

/**
 * The files that a module loads before it runs.
 * @param {string} name
 * @param {Set<string>} found
 */
function filesOf(name, found = new Set()) {
  const entry = manifest[name];
  if (entry === undefined) throw new Error(`${name} is not in the build`);
  if (found.has(entry.file)) return found;
  found.add(entry.file);
  for (const imported of entry.imports ?? []) filesOf(imported, found);
  return found;
}

/** @param {Iterable<string>} files */
const kilobytes = (files) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0) / 1000;

const signIn = filesOf('src/admin-side.tsx', filesOf('index.html'));
const rows = [['sign-in page, administrators', kilobytes(signIn)]];
const appSide = filesOf('src/app-side/app-side.tsx', filesOf('index.html'));
rows.push(['sign-in page, app users', kilobytes(appSide)]);
const frame = filesOf('src/session/ended-session.tsx', filesOf('src/shell/frame.tsx', new Set(signIn)));
rows.push(['after sign-in: frame', kilobytes(frame) - kilobytes(signIn)]);
for (const name of Object.keys(manifest).filter((key) => /^src\/places\/[^/]+\/[^/]+-page\.tsx$/.test(key))) {
  const own = filesOf(name, new Set(frame));
  rows.push([`place ${name.split('/')[2]}`, kilobytes(own) - kilobytes(frame)]);
}
for (const [what, size] of rows)
  process.stdout.write(`${String(what).padEnd(32)} ${Number(size).toFixed(1).padStart(7)} kB\n`);
