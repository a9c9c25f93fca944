import type { Finding } from './observed-run.js';

/** The number of violations shown in full per row. The others are only counted. */
const SHOWN_VIOLATIONS = 10;

const columns: readonly (readonly [head: string, cell: (finding: Finding) => string | number])[] = [
  ['scenario', ({ scenario }) => scenario],
  ['store', ({ store }) => store],
  ['fault', ({ fault }) => fault],
  ['times', ({ times }) => times],
  ['keys', ({ keys }) => keys],
  ['attempts', ({ attempts }) => attempts],
  ['rows', ({ rows }) => rows],
  ['told done', ({ acknowledged }) => acknowledged],
  ['told submitted', ({ submitted }) => submitted],
  ['told unknown', ({ unknown }) => unknown],
  ['slowest ms', ({ slowestMillis }) => slowestMillis],
  ['measured', ({ measured = '' }) => measured],
  ['violations', ({ violations }) => violations.length],
];

/** Formats the findings as a table, followed by their violations. */
export function reportTable(findings: readonly Finding[]): string {
  const cells = [columns.map(([head]) => head), ...findings.map((one) => columns.map(([, cell]) => String(cell(one))))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  const lines = cells.map((row) => `| ${row.map((text, index) => text.padEnd(widths[index]!)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return [...lines, ...findings.flatMap(violationLines)].join('\n');
}

function violationLines({ scenario, store, fault, violations }: Finding): string[] {
  const shown = violations.slice(0, SHOWN_VIOLATIONS);
  const lines = shown.map(
    ({ kind, key, detail }) => `VIOLATION ${scenario} ${store}, ${fault}: ${kind}, key ${key} ${detail}`,
  );
  const rest = violations.length - shown.length;
  return rest > 0 ? [...lines, `VIOLATION ${scenario} ${store}, ${fault}: and ${rest} more`] : lines;
}
