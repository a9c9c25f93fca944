import { settingRows, type VariableFault } from '../config/config.js';

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

/** A fault of the configuration, found when it was read. One truth: the start refuses it by the same words. */
export function faultItem({ variable, property, reason, fix }: VariableFault): PreflightItem {
  return { id: `config.${property ?? 'unknown-variable'}`, severity: 'error', finding: `${variable} ${reason}`, fix };
}

/** What a plugin refuses, in the words of the variables. */
export function pluginItem(fault: string): PreflightItem {
  const variable = /^SERVICE_[A-Z0-9_]+/.exec(fault)?.[0];
  const property = settingRows.find((row) => row.variable === variable)?.property;
  const [finding = fault, ...rest] = fault.split('; ');
  const fix = rest.length === 0 ? 'see the table of variables (--help)' : rest.join('; ');
  return { id: `config.${property ?? 'plugins'}`, severity: 'error', finding, fix };
}
