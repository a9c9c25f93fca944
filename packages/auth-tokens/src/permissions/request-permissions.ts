import type { RequiredValue, TtlStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { failClosed, PermissionDeniedError, PermissionsUnavailableError } from '../errors.js';
import { grantsFrom, isGranted } from '../permission-codes.js';
import type { Principal, SessionEntry, StoredTexts, SubjectKey } from '../sessions/index.js';
import {
  createKeptPermissions,
  type KeptPermissions,
  type KeptPermissionsOptions,
  type PermissionChanges,
} from './kept-permissions.js';
import { type CountWithSession, createSessionCounts } from './session-count.js';

/** The option `loadPermissions`. */
type LoadPermissions = (principal: Principal) => readonly string[] | Promise<readonly string[]>;

type LoadGrants = (principal: Principal) => Promise<readonly string[]>;

function createGrantsLoader(load: LoadPermissions | undefined): LoadGrants {
  if (load === undefined) return async () => [];
  return (principal) => failClosed(async () => grantsFrom(await load(principal)), PermissionsUnavailableError);
}

/** The permissions of principals, as routes, handlers and tickets ask for them. */
interface RequestPermissions {
  /** Starts the read for the check of these codes, in the turn in which the session is read. */
  lookAhead(request: FastifyRequest, codes: readonly string[]): void;
  /** The conditions under which the owner holds the codes, by what is kept. Null: nothing is known. */
  knownToHold(owner: SubjectKey, codes: readonly string[]): readonly RequiredValue[] | null;
  /** The next check reads again what may have been withdrawn. */
  forget(request: FastifyRequest): void;
  holdsAll(request: FastifyRequest, principal: Principal, codes: readonly string[]): Promise<boolean>;
  /** @throws {PermissionDeniedError} */
  requireAll(request: FastifyRequest, principal: Principal, codes: readonly string[]): Promise<void>;
  /** For a ticket, whose check has no round trip to share. They are loaded. */
  holds(principal: Principal, code: string): Promise<boolean>;
}

// They are made at most once per check, and never used for the next request (TOK-6).
/** The reads of a request. */
interface Reads {
  grants?: Promise<readonly string[]>;
  look?: Promise<SessionEntry>;
}

const kReads = Symbol('@sallyport/auth-tokens: reads of permissions');

declare module 'fastify' {
  interface FastifyRequest {
    /** @internal */
    [kReads]: Reads | null;
  }
}

function readsOf(request: FastifyRequest): Reads {
  request[kReads] ??= {};
  return request[kReads];
}

/** @param kept undefined: they are loaded for each request */
function createRequestPermissions(load: LoadGrants, kept: KeptPermissions | undefined): RequestPermissions {
  const read = (principal: Principal, looking?: Promise<SessionEntry>) =>
    kept === undefined ? load(principal) : kept.grantsAt(looking ?? kept.look(), principal);

  async function holdsAll(request: FastifyRequest, principal: Principal, codes: readonly string[]): Promise<boolean> {
    const reads = readsOf(request);
    reads.grants ??= read(principal, reads.look);
    const grants = await reads.grants;
    return codes.every((code) => isGranted(grants, code));
  }

  return {
    lookAhead(request, codes) {
      if (kept !== undefined && codes.length > 0) readsOf(request).look = kept.look();
    },
    knownToHold(owner, codes) {
      if (codes.length === 0) return [];
      const known = kept?.known(owner) ?? null;
      return known !== null && codes.every((code) => isGranted(known.grants, code)) ? [known.unchanged] : null;
    },
    forget(request) {
      request[kReads] = null;
    },
    holdsAll,
    async requireAll(request, principal, codes) {
      if (!(await holdsAll(request, principal, codes))) throw new PermissionDeniedError();
    },
    holds: async (principal, code) => isGranted(await load(principal), code),
  };
}

interface PermissionOptions {
  readonly store: KeptPermissionsOptions['store'] & Pick<TtlStore, 'changeAll'>;
  readonly loadPermissions: LoadPermissions | undefined;
  readonly permissionChanges: PermissionChanges | undefined;
  readonly countWithSession: CountWithSession | undefined;
}

/** The permissions of requests, kept or loaded, and the counts that depend on them. */
export function openPermissions(fastify: FastifyInstance, options: PermissionOptions, texts: StoredTexts) {
  const { store, loadPermissions, permissionChanges: changes, countWithSession: count } = options;
  fastify.decorateRequest(kReads, null);
  const load = createGrantsLoader(loadPermissions);
  const kept =
    changes &&
    createKeptPermissions({
      ...{ store, texts, load, changes, monotonic: () => performance.now() },
      onFailure: (err) =>
        fastify.log.warn({ err }, 'permissions are loaded on each request until they can be kept again'),
    });
  const permissions = createRequestPermissions(load, kept);
  return {
    permissions,
    countWith: createSessionCounts({
      count,
      changeAll: store.changeAll?.bind(store),
      knownToHold: permissions.knownToHold,
    }),
    async announce(): Promise<void> {
      if (kept === undefined) throw new TypeError('announcePermissionsChange needs the option permissionChanges');
      await kept.announce();
    },
  };
}
