import type { AuditRecord } from '@sallyport/audit-log';

/** The characters that start a formula in spreadsheets, including full-width forms and after leading white space. */
const FORMULA = /^[\s\0]*[=+\-@\t\r\n＝＋－＠]/;

const columns: Readonly<Record<string, (record: AuditRecord) => unknown>> = {
  id: ({ id }) => id,
  occurredAt: ({ occurredAt }) => new Date(occurredAt).toISOString(),
  actor: ({ actor }) => actor,
  action: ({ action }) => action,
  target: ({ target }) => target,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  durationMillis: ({ durationMillis }) => durationMillis,
  clientIp: ({ clientIp }) => clientIp,
  requestId: ({ extra }) => extra.requestId,
  terminal: ({ extra }) => extra.terminal,
  method: ({ extra }) => extra.method,
  path: ({ extra }) => extra.path,
  userAgent: ({ extra }) => extra.userAgent,
  exception: ({ extra }) => extra.exception,
  parameters: ({ parameters }) => JSON.stringify(parameters),
};

/** RFC 4180: the names of the columns. */
export const csvHeader = lineOf(Object.keys(columns));

export function csvLine(record: AuditRecord): string {
  return lineOf(Object.values(columns).map((read) => read(record)));
}

function lineOf(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Quotes a cell. A text that a spreadsheet would evaluate gets a leading apostrophe. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
