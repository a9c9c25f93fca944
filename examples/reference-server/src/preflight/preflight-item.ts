import { settingRows, type VariableFault } from '../config/config.js';

/**
 * `error`: production refuses to start. `warning`: production starts, but the operator should confirm that it is
 * intended. `info`: for information.
 */
export type Severity = 'error' | 'warning' | 'info';

/** A finding of the preflight (OPS-3), as plain data. */
export interface PreflightItem {
  /** Stable, for programs: lower-case words joined by dots and hyphens, such as `proxies.none`. */
  readonly id: string;
  readonly severity: Severity;
  /** The finding: a sentence without a full stop, and never with the value of a secret. */
  readonly finding: string;
  /** The remedy, in the same form. */
  readonly fix: string;
}

/** The form of an id. */
export const ITEM_ID = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;

export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** The line for people, the same in the command, the log and the refusal of a start. */
export function describeItem({ id, finding, fix }: PreflightItem): string {
  return `${finding}; ${fix} [${id}]`;
}

/** A configuration fault, in the same words in which the start refuses it. */
export function faultItem({ variable, property, reason, fix }: VariableFault): PreflightItem {
  return { id: `config.${property ?? 'unknown-variable'}`, severity: 'error', finding: `${variable} ${reason}`, fix };
}

/** A plugin's setup error, with variable names in place of option names. */
export function pluginItem(fault: string): PreflightItem {
  const variable = /^SERVICE_[A-Z0-9_]+/.exec(fault)?.[0];
  const property = settingRows.find((row) => row.variable === variable)?.property;
  const [finding = fault, ...rest] = fault.split('; ');
  const fix = rest.length === 0 ? 'see the table of variables (--help)' : rest.join('; ');
  return { id: `config.${property ?? 'plugins'}`, severity: 'error', finding, fix };
}
