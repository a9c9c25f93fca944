import { settingRows, type VariableFault } from '../config/config.js';
import type { PreflightItem } from './preflight-item.js';

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
