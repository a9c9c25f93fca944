import type { RequiredValue } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { failClosed, PermissionDeniedError, PermissionsUnavailableError } from './errors.js';
import type { KeptPermissions } from './kept-permissions.js';
import type { AuthTokensOptions } from './options.js';
import { grantsFrom, isGranted } from './permissions.js';
import type { Principal, SessionEntry, SubjectKey } from './sessions/index.js';

export type LoadGrants = (principal: Principal) => Promise<readonly string[]>;

export function createGrantsLoader(load: AuthTokensOptions['loadPermissions'] | undefined): LoadGrants {
  if (load === undefined) return async () => [];
  return (principal) => failClosed(async () => grantsFrom(await load(principal)), PermissionsUnavailableError);
}

/** The permissions of principals, as routes, handlers and tickets ask for them. */
export interface RequestPermissions {
  /** Starts what the check of these codes reads, in the turn in which the session is read. */
  lookAhead(request: FastifyRequest, codes: readonly string[]): void;
  /** What the store has to contain so that the owner holds the codes, if that is known. Null: it is not. */
  knownToHold(owner: SubjectKey, codes: readonly string[]): readonly RequiredValue[] | null;
  /** The next check reads again what may have been withdrawn. */
  forget(request: FastifyRequest): void;
  holdsAll(request: FastifyRequest, principal: Principal, codes: readonly string[]): Promise<boolean>;
  /** @throws {PermissionDeniedError} */
  requireAll(request: FastifyRequest, principal: Principal, codes: readonly string[]): Promise<void>;
  /** For a ticket, whose check has no round trip to share. They are loaded. */
  holds(principal: Principal, code: string): Promise<boolean>;
}

/** @param kept undefined: they are loaded for each request */
export function createRequestPermissions(load: LoadGrants, kept: KeptPermissions | undefined): RequestPermissions {
  /** Read at most once per check, and never used for the next request (TOK-6). */
  const grantsOf = new WeakMap<FastifyRequest, Promise<readonly string[]>>();
  const looks = new WeakMap<FastifyRequest, Promise<SessionEntry>>();

  const read = (principal: Principal, looking?: Promise<SessionEntry>) =>
    kept === undefined ? load(principal) : kept.grantsAt(looking ?? kept.look(), principal);

  async function holdsAll(request: FastifyRequest, principal: Principal, codes: readonly string[]): Promise<boolean> {
    let reading = grantsOf.get(request);
    if (reading === undefined) {
      reading = read(principal, looks.get(request));
      grantsOf.set(request, reading);
    }
    const grants = await reading;
    return codes.every((code) => isGranted(grants, code));
  }

  return {
    lookAhead(request, codes) {
      if (kept !== undefined && codes.length > 0) looks.set(request, kept.look());
    },
    knownToHold(owner, codes) {
      if (codes.length === 0) return [];
      const known = kept?.known(owner) ?? null;
      return known !== null && codes.every((code) => isGranted(known.grants, code)) ? [known.unchanged] : null;
    },
    forget(request) {
      grantsOf.delete(request);
      looks.delete(request);
    },
    holdsAll,
    async requireAll(request, principal, codes) {
      if (!(await holdsAll(request, principal, codes))) throw new PermissionDeniedError();
    },
    holds: async (principal, code) => isGranted(await load(principal), code),
  };
}
