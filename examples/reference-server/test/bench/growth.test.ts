import { describe, expect, it } from 'vitest';
import { blocksOf, withBlocks } from '../../bench/growth/capacity.mjs';
import { filesOf, readCapacityPage, readFigure, readResults } from '../../bench/growth/kept-results.mjs';
import { plotSvg } from '../../bench/growth/plot.mjs';
import { csvOf, tableOf } from '../../bench/growth/tables.mjs';

const series = {
  title: 'A page & more',
  x: 'records',
  unit: 'milliseconds',
  lines: [
    {
      name: 'actor, a rare one',
      points: [
        [10, 0.034],
        [1000, 1234],
      ],
    },
  ],
};

describe('the figures of growth', () => {
  it('PRF-11 the page shows the tables and the arithmetic of its data', () => {
    const page = readCapacityPage();
    expect(withBlocks(page, blocksOf(readResults()))).toBe(page);
  });

  it('PRF-11 every plot and CSV is drawn from its data', () => {
    for (const result of Object.values(readResults())) {
      for (const [name, text] of Object.entries(filesOf(result))) expect(readFigure(name)).toBe(text);
    }
  });

  it('PRF-11 every series is on the page, with its plot and its data', () => {
    const page = readCapacityPage();
    for (const { part, series: all } of Object.values(readResults())) {
      for (const { id } of all) {
        for (const place of [`-${id}.svg`, `-${id}.csv`]) expect(page).toContain(`public/figures/${part}${place})`);
        expect(page).toContain(`<!-- figures: ${part} ${id} -->`);
      }
    }
  });

  it('PRF-11 a table, a CSV and a plot have every point', () => {
    expect(tableOf(series)).toBe(
      [
        '| records           |    10 | 1 000 |',
        '| ----------------- | ----: | ----: |',
        '| actor, a rare one | 0.034 | 1 234 |',
      ].join('\n'),
    );
    expect(csvOf(series)).toBe('records,10,1000\n"actor, a rare one",0.034,1234\n');
    const svg = plotSvg(series);
    expect(svg).toContain('A page &amp; more');
    expect(svg.match(/h\.01/g)).toHaveLength(2);
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  it('PRF-11 a page with unknown figures is refused', () => {
    expect(() => withBlocks('<!-- figures: other -->\n\nx\n\n<!-- end of figures -->', {})).toThrow('other');
  });
});
