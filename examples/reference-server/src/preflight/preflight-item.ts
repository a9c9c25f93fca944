/**
 * `error`: production doesn't start with it. `warning`: it starts, and somebody should have decided that it is so.
 * `info`: worth knowing.
 */
export type Severity = 'error' | 'warning' | 'info';

/** One thing that was found (OPS-3), as plain data. */
export interface PreflightItem {
  /** Stable, for programs: lower-case words joined by dots and hyphens, such as `proxies.none`. */
  readonly id: string;
  readonly severity: Severity;
  /** What was found: a sentence without a full stop, and never the value of a secret. */
  readonly finding: string;
  /** What to do about it: the same. */
  readonly fix: string;
}

/** What an id looks like. */
export const ITEM_ID = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;

export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** For people: the same line in the command, in the log and in the refusal of a start. */
export function describeItem({ id, finding, fix }: PreflightItem): string {
  return `${finding}; ${fix} [${id}]`;
}
