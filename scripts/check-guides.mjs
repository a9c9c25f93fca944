// `pnpm check:guides [--show] [pages…]`, for DOC-1: the pages of the documentation that say `follow: clone` are
// followed word for word in a fresh clone. `--show` prints what each command prints, for who writes a page.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cloneRepository } from './guides/clone.mjs';
import { followPage } from './guides/follow.mjs';
import { pagesFollowedIn, readPage } from './guides/pages.mjs';
import { createServices } from './readme-services.mjs';

const say = (text) => process.stdout.write(`${text}\n`);

const { values, positionals } = parseArgs({
  options: { show: { type: 'boolean', default: false }, clone: { type: 'string' } },
  allowPositionals: true,
});
const all = pagesFollowedIn('clone');
const chosen = positionals.length === 0 ? all : positionals;
const unknown = chosen.filter((path) => !all.includes(path));
if (unknown.length > 0) throw new Error(`no page with 'follow: clone': ${unknown.join(', ')}`);

const work = mkdtempSync(join(tmpdir(), 'sallyport-guides-'));
const folder = values.clone ?? join(work, 'sallyport');
const services = createServices();
const done = new Set();
const faults = [];
try {
  if (values.clone === undefined) cloneRepository(folder);
  for (const path of chosen) {
    const page = await followPage(readPage(path), { folder, services, done, ...(values.show ? { show: say } : {}) });
    faults.push(...page.faults.map(({ line, message }) => `${path}:${line}: ${message}`));
    say(`${path}: ${page.faults.length === 0 ? `${page.ran} blocks run as written` : `${page.faults.length} FAULTS`}`);
  }
} finally {
  await services.stop();
  rmSync(work, { recursive: true, force: true });
}
if (faults.length > 0) say(`\n${faults.join('\n\n')}\n\n${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
