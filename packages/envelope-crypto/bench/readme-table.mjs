// `node packages/envelope-crypto/bench/readme-table.mjs`: writes the kept run of the oldest
// Node.js version with one into the page of the reference.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { resultsAsMarkdown } from './tables.mjs';

export const page = new URL('../../../docs/reference/envelope-crypto/backends.md', import.meta.url);
const results = new URL('results/', import.meta.url);

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';
const NO_RUN = 'No run is kept yet.';

/** The page's text with the tables of the kept run between its marks. */
export function withTables(text) {
  const [before, rest] = text.split(BEGIN);
  const [, after] = (rest ?? '').split(END);
  if (after === undefined) throw new Error(`the page has no ${BEGIN} and ${END}`);
  const run = keptRun();
  return `${before}${BEGIN}\n\n${run === null ? NO_RUN : resultsAsMarkdown(run)}\n\n${END}${after}`;
}

function keptRun() {
  const major = (name) => Number(/^node-(\d+)\.json$/.exec(name)?.[1]);
  const [oldest] = readdirSync(results)
    .filter((name) => major(name) > 0)
    .sort((a, b) => major(a) - major(b));
  if (oldest === undefined) return null;
  return JSON.parse(readFileSync(new URL(oldest, results), 'utf8'));
}

if (argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, withTables(readFileSync(page, 'utf8')));
