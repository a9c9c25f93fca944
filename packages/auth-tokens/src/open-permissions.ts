import type { FastifyBaseLogger } from 'fastify';
import { createKeptPermissions } from './kept-permissions.js';
import type { ValidOptions } from './options.js';
import { createGrantsLoader, createRequestPermissions } from './request-permissions.js';
import { createSessionCounts } from './session-count.js';
import type { StoredTexts } from './sessions/index.js';

type PermissionOptions = Pick<ValidOptions, 'store' | 'loadPermissions' | 'permissionChanges' | 'countWithSession'>;

/** Permissions, kept or loaded, and the counts that depend on them. */
export function openPermissions(log: FastifyBaseLogger, options: PermissionOptions, texts: StoredTexts) {
  const { store, loadPermissions, permissionChanges: changes, countWithSession: count } = options;
  const load = createGrantsLoader(loadPermissions);
  const kept =
    changes &&
    createKeptPermissions({
      ...{ store, texts, load, changes, monotonic: () => performance.now() },
      onFailure: (err) => log.warn({ err }, 'permissions are loaded on each request until they can be kept again'),
    });
  const permissions = createRequestPermissions(load, kept);
  return {
    permissions,
    countBeside: createSessionCounts({ count, changeAll: store.changeAll?.bind(store), permissions }),
    async announce(): Promise<void> {
      if (kept === undefined) throw new TypeError('announcePermissionsChange needs the option permissionChanges');
      await kept.announce();
    },
  };
}
