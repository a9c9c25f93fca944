/** The columns of the table in the README: what ADP-9 names. */
export const RUNTIMES = [
  { name: 'node@20.19.0', title: 'Node 20.19.0' },
  { name: 'node@20', title: 'Node 20' },
  { name: 'node@22', title: 'Node 22' },
  { name: 'node@24', title: 'Node 24' },
  { name: 'node@26', title: 'Node 26' },
  { name: 'bun@1', title: 'Bun 1' },
  { name: 'deno@2', title: 'Deno 2' },
];

export const WAYS = ['import', 'require()'];

export const BEGIN = '<!-- runtimes:begin -->';
export const END = '<!-- runtimes:end -->';

/**
 * A cell: the ways that work, or what fails.
 * @param {Record<string, boolean>} works by way
 */
export function cellOf(works) {
  const working = WAYS.filter((way) => works[way]);
  return working.length === WAYS.length ? 'both' : working.length === 0 ? 'fails' : `${working[0]} only`;
}

/**
 * @param {readonly string[]} packages
 * @param {readonly string[]} titles
 * @param {(name: string, title: string) => string} cell
 */
export function tableOf(packages, titles, cell) {
  const rows = packages.map((name) => [name, ...titles.map((title) => cell(name, title))]);
  const all = [['package', ...titles], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`;
  return [line(all[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/**
 * The cells of the README's table, by package and title.
 * @param {string} readme
 * @returns {{ titles: string[], packages: string[], cell: (name: string, title: string) => string | undefined }}
 */
export function readTable(readme) {
  const text = readme.slice(readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END));
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  const [header = [], , ...rows] = lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((each) => each.trim()),
  );
  const titles = header.slice(1);
  const cells = new Map(rows.map(([name, ...values]) => [name, values]));
  return { titles, packages: [...cells.keys()], cell: (name, title) => cells.get(name)?.[titles.indexOf(title)] };
}

/**
 * @param {string} readme
 * @param {string} table
 */
export function withTable(readme, table) {
  const begin = readme.indexOf(BEGIN) + BEGIN.length;
  return `${readme.slice(0, begin)}\n\n${table}\n\n${readme.slice(readme.indexOf(END))}`;
}
