import { abuseTables } from './abuse/report.js';
import { hostileTable } from './hostile/run-hostile.js';
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
  const tables = [...kindTables(findings), ...findings.flatMap(linesOfAbuse), ...findings.flatMap(linesOfHostile)];
  return [...linesOf(cells), ...tables, ...findings.flatMap(violationLines)].join('\n');
}

/** For each store: kind of change × fault → changes / records / changes without a record. */
function kindTables(findings: readonly Finding[]): string[] {
  const counted = findings.filter(({ kinds }) => kinds !== undefined);
  return [...new Set(counted.map(({ store }) => store))].flatMap((store) => {
    const ofStore = counted.filter((finding) => finding.store === store);
    const kinds = ofStore[0]!.kinds!.map(({ kind }) => kind);
    const rows = kinds.map((kind) => [
      kind,
      ...ofStore.map((finding) => countsOf(finding.kinds!.filter((count) => count.kind === kind))),
    ]);
    const all = ['all', ...ofStore.map((finding) => countsOf(finding.kinds!))];
    const head = [`${store}: changes / records / without`, ...ofStore.map(({ fault }) => fault)];
    return ['', ...linesOf([head, ...rows, all])];
  });
}

/** What attackers reached, and what honest users met meanwhile. */
function linesOfAbuse({ abuse }: Finding): string[] {
  return abuse === undefined ? [] : abuseTables(abuse).flatMap((cells) => ['', ...linesOf(cells)]);
}

/** What a man in the middle got. */
function linesOfHostile({ hostile }: Finding): string[] {
  return hostile === undefined ? [] : ['', ...linesOf(hostileTable(hostile))];
}

function countsOf(counts: NonNullable<Finding['kinds']>): string {
  const sum = (field: 'changes' | 'records' | 'without') => counts.reduce((total, count) => total + count[field], 0);
  return `${sum('changes')} / ${sum('records')} / ${sum('without')}`;
}

/** Formats rows of cells, the first of which is the head. */
function linesOf(cells: readonly (readonly string[])[]): string[] {
  const widths = cells[0]!.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  const lines = cells.map((row) => `| ${row.map((text, index) => text.padEnd(widths[index]!)).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines;
}

function violationLines({ scenario, store, fault, violations }: Finding): string[] {
  const shown = violations.slice(0, SHOWN_VIOLATIONS);
  const lines = shown.map(
    ({ kind, key, detail }) => `VIOLATION ${scenario} ${store}, ${fault}: ${kind}, key ${key} ${detail}`,
  );
  const rest = violations.length - shown.length;
  return rest > 0 ? [...lines, `VIOLATION ${scenario} ${store}, ${fault}: and ${rest} more`] : lines;
}
