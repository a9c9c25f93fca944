import { loadTrustedModule } from '../config/trusted-module.js';
import { ownIds } from './checks.js';
import type { PreflightCheck } from './preflight-check.js';
import { ITEM_ID, type PreflightItem } from './preflight-item.js';

/** The deployment's own checks, or the item that says why they were not loaded. */
export interface OwnChecks {
  readonly checks: readonly PreflightCheck[];
  readonly items: readonly PreflightItem[];
}

/** Loads the module that `SERVICE_PREFLIGHT_MODULE` names: an ES module that exports `checks`. */
export async function loadOwnChecks(path: string | null): Promise<OwnChecks> {
  if (path === null) return { checks: [], items: [] };
  const module = await loadTrustedModule(path);
  if (module.kind === 'refused') return refused(module.reason, module.fix);
  const { checks } = module.exports;
  if (!Array.isArray(checks) || !checks.every(isCheck)) {
    return refused('does not export checks: a list of { id, run }', 'see "Checks of your own" in the README');
  }
  const taken = checks
    .map(({ id }) => id)
    .find((id, index, ids) => ownIds.has(id.split('.')[0] ?? '') || ids.indexOf(id) !== index);
  if (taken !== undefined)
    return refused(`has a check with the id ${taken}, which is already used`, 'give it another id');
  return { checks, items: [] };
}

function refused(what: string, fix: string): OwnChecks {
  const finding = `the module of SERVICE_PREFLIGHT_MODULE ${what}`;
  return { checks: [], items: [{ id: 'preflight.module', severity: 'error', finding, fix }] };
}

function isCheck(value: unknown): value is PreflightCheck {
  const { id, run } = (value ?? {}) as Partial<PreflightCheck>;
  return typeof id === 'string' && ITEM_ID.test(id) && typeof run === 'function';
}
