import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownIds } from './checks.js';
import type { PreflightCheck } from './preflight-check.js';
import { ITEM_ID, type PreflightItem } from './preflight-item.js';

/** The deployment's own checks, or the item that says why they were not loaded. */
export interface OwnChecks {
  readonly checks: readonly PreflightCheck[];
  readonly items: readonly PreflightItem[];
}

/**
 * Loads the module that `SERVICE_PREFLIGHT_MODULE` names: an ES module that exports `checks`. Its code can read every
 * secret of the server. The file and its folder must therefore belong to root or to the user of the server, and be
 * writable by no other user.
 */
export async function loadOwnChecks(path: string | null): Promise<OwnChecks> {
  if (path === null) return { checks: [], items: [] };
  try {
    const file = await realpath(path);
    if ((await isWritableByOthers(file)) || (await isWritableByOthers(dirname(file)))) {
      return refused(
        'is writable by users other than root and the user of the server',
        'correct the mode and owner of the file and its folder',
      );
    }
    const { checks } = (await import(pathToFileURL(file).href)) as { readonly checks?: unknown };
    if (!Array.isArray(checks) || !checks.every(isCheck)) {
      return refused('does not export checks: a list of { id, run }', 'see "Checks of your own" in the README');
    }
    const taken = checks
      .map(({ id }) => id)
      .find((id, index, ids) => ownIds.has(id.split('.')[0] ?? '') || ids.indexOf(id) !== index);
    if (taken !== undefined)
      return refused(`has a check with the id ${taken}, which is already used`, 'give it another id');
    return { checks, items: [] };
  } catch (error) {
    const { name, code } = (error instanceof Error ? error : new Error()) as Error & { code?: unknown };
    return refused(`could not be loaded (${typeof code === 'string' ? code : name})`, 'run it with node to see why');
  }
}

function refused(what: string, fix: string): OwnChecks {
  const finding = `the module of SERVICE_PREFLIGHT_MODULE ${what}`;
  return { checks: [], items: [{ id: 'preflight.module', severity: 'error', finding, fix }] };
}

async function isWritableByOthers(path: string): Promise<boolean> {
  // Windows uses access lists, which Node does not read.
  if (process.platform === 'win32') return false;
  const { mode, uid } = await stat(path);
  return (mode & 0o022) !== 0 || (uid !== 0 && uid !== process.getuid?.());
}

function isCheck(value: unknown): value is PreflightCheck {
  const { id, run } = (value ?? {}) as Partial<PreflightCheck>;
  return typeof id === 'string' && ITEM_ID.test(id) && typeof run === 'function';
}
