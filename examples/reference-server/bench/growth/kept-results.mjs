// What `--keep` writes: the results of a part, with a CSV and a plot of each series, and the page that shows them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { plotSvg } from './plot.mjs';
import { csvOf } from './tables.mjs';

export const FIGURES = new URL('../../../../docs/public/figures/', import.meta.url);

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

export const readPart = async (part) => JSON.parse(await readFile(new URL(`${part}.json`, FIGURES), 'utf8'));

export async function keepPart(result) {
  await mkdir(FIGURES, { recursive: true });
  for (const [name, text] of Object.entries(filesOf(result))) await writeFile(new URL(name, FIGURES), text);
}
