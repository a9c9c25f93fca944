// The table of the page, of which the command writes every cell.
const BEGIN = '<!-- neighbours:begin -->';
const END = '<!-- neighbours:end -->';

export const PAGE = 'docs/guides/neighbours.md';

/** What a cell says. Anything else is silence. */
const OUTCOME = /^(?:holds|refuses with [A-Z]+(?:_[A-Z]+)+)$/;

/** @param {unknown} outcome */
export const isOutcome = (outcome) => typeof outcome === 'string' && OUTCOME.test(outcome);

export const keyOf = (title, name) => `${title} / ${name}`;

/**
 * @param {readonly import('./cells.mjs').Neighbour[]} neighbours
 * @param {(title: string, name: string) => string | undefined} cell
 */
export function tableOf(neighbours, cell) {
  const rows = neighbours.flatMap(({ title, packages }) =>
    packages.map((name) => {
      const says = (cell(title, name) ?? 'SILENT').replace(/[A-Z]+_[A-Z_]+$/, (code) => `\`${code}\``);
      return [title, name, says];
    }),
  );
  const all = [['neighbour', 'package', ''], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  return [line(all[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/**
 * @param {string} page
 * @returns {Map<string, string>} the cells, by `keyOf`
 */
export function readTable(page) {
  const lines = page.slice(page.indexOf(BEGIN), page.indexOf(END)).split('\n');
  const rows = lines.filter((line) => line.startsWith('| ')).slice(2);
  return new Map(
    rows.map((line) => {
      const [title, name, says] = line
        .slice(2, -2)
        .split(' | ')
        .map((text) => text.trim());
      return [keyOf(title, name), says.replaceAll('`', '')];
    }),
  );
}

/**
 * @param {string} page
 * @param {string} table
 */
export function withTable(page, table) {
  return `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${table}\n\n${page.slice(page.indexOf(END))}`;
}
