/** A number of at most three digits that count, as texts show it: 0.034, 4.5, 1 200. */
export function figure(value) {
  if (value === undefined) return '';
  if (value >= 1000) return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  return String(Number(value.toPrecision(3)));
}

const sizesOf = ({ lines }) =>
  [...new Set(lines.flatMap(({ points }) => points.map(([size]) => size)))].sort((one, other) => one - other);

/** The rows of a series: the name of each line, then its value at each size. */
function rowsOf(series) {
  const sizes = sizesOf(series);
  const body = series.lines.map(({ name, points }) => [
    name,
    ...sizes.map((size) => points.find(([at]) => at === size)?.[1]),
  ]);
  return { head: [series.x, ...sizes], body };
}

/** A series as a table of Markdown, padded as the formatter leaves it. */
export function tableOf(series) {
  const { head, body } = rowsOf(series);
  return markdownTable([head, ...body].map(([name, ...values]) => [name, ...values.map(figure)]));
}

/** The first row is the head, the first column text and the others numbers. */
export function markdownTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(4, ...rows.map((row) => String(row[column]).length)));
  const line = (row) =>
    `| ${row.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n');
}

/** A series as CSV. */
export function csvOf(series) {
  const { head, body } = rowsOf(series);
  const cell = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : (value ?? ''));
  return [head, ...body].map((row) => `${row.map(cell).join(',')}\n`).join('');
}
