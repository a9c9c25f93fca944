import type { AuditRecord } from '@sallyport/audit-log';

/** The characters that start a formula in spreadsheets, including full-width forms and after leading white space. */
const FORMULA = /^[\s\0]*[=+\-@\t\r\n＝＋－＠]/;

/** The name of an account that is an actor, such as `admin:<id>`. Undefined for who may not read it. */
export type NameOf = (actor: string) => string | undefined;

const columns: Readonly<Record<string, (record: AuditRecord, nameOf: NameOf) => unknown>> = {
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
  // Last, so that those who read columns by their number find the others where they were.
  actorName: ({ actor }, nameOf) => (actor === null ? null : nameOf(actor)),
};

/** The separator of the cells. Use a semicolon if the comma is the decimal separator, as in Germany. */
export type CsvSeparator = 'comma' | 'semicolon';

const SEPARATORS: Readonly<Record<CsvSeparator, string>> = { comma: ',', semicolon: ';' };

/**
 * A formula within a cell. A spreadsheet of another locale splits lines at its own separator, even within quotes, and
 * evaluates the rest. The separator of the file is safe within quotes.
 */
const INNER_FORMULA: Readonly<Record<CsvSeparator, RegExp>> = {
  comma: /([;\t\r\n][\s\0"]*)([=+\-@＝＋－＠])/g,
  semicolon: /([,\t\r\n][\s\0"]*)([=+\-@＝＋－＠])/g,
};

/** RFC 4180: the names of the columns. */
export function csvHeader(separator: CsvSeparator): string {
  return lineOf(Object.keys(columns), separator);
}

/** @param nameOf default: nobody is named */
export function csvLine(record: AuditRecord, separator: CsvSeparator, nameOf: NameOf = () => undefined): string {
  return lineOf(
    Object.values(columns).map((read) => read(record, nameOf)),
    separator,
  );
}

function lineOf(values: readonly unknown[], separator: CsvSeparator): string {
  return `${values.map((value) => cellOf(value, separator)).join(SEPARATORS[separator])}\r\n`;
}

/**
 * Every text is quoted. A text that a spreadsheet would evaluate gets an apostrophe before the formula. Numbers are
 * whole and have no separators.
 */
function cellOf(value: unknown, separator: CsvSeparator): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = String(value).replaceAll(INNER_FORMULA[separator], "$1'$2");
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
