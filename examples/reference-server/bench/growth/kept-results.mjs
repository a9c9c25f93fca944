// What `--keep` writes: the results of a part, with a CSV and a plot of each series, and the page that shows them.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { blocksOf, withBlocks } from './capacity.mjs';
import { plotSvg } from './plot.mjs';
import { csvOf } from './tables.mjs';

const FIGURES = new URL('../../../../docs/public/figures/', import.meta.url);
const PAGE = new URL('../../../../docs/capacity.md', import.meta.url);
const PARTS = ['audit-log', 'stores', 'administration', 'nodes', 'sign-ins'];

/** The files of a part, by name. */
export function filesOf(result) {
  return {
    [`${result.part}.json`]: `${JSON.stringify(result, null, 1)}\n`,
    ...Object.fromEntries(
      result.series.flatMap((series) => [
        [`${result.part}-${series.id}.csv`, csvOf(series)],
        [`${result.part}-${series.id}.svg`, plotSvg(series)],
      ]),
    ),
  };
}

/** The kept results, by part. */
export const readResults = () =>
  Object.fromEntries(PARTS.map((part) => [part, JSON.parse(readFileSync(new URL(`${part}.json`, FIGURES), 'utf8'))]));

export const readFigure = (name) => readFileSync(new URL(name, FIGURES), 'utf8');
export const readCapacityPage = () => readFileSync(PAGE, 'utf8');

/** Writes the files of a part, and the page if every part has results. */
export async function keepPart(result) {
  await mkdir(FIGURES, { recursive: true });
  for (const [name, text] of Object.entries(filesOf(result))) await writeFile(new URL(name, FIGURES), text);
  if (PARTS.some((part) => !existsSync(new URL(`${part}.json`, FIGURES))) || !existsSync(PAGE)) return;
  await writeFile(PAGE, withBlocks(readCapacityPage(), blocksOf(readResults())));
}
