import { randomBytes } from 'node:crypto';
import { LruCache } from '@sallyport/plugin-kit/lru-cache';
import type { RequiredValue, TtlStore } from '@sallyport/ttl-store';
import { failClosed, SessionStoreUnavailableError } from '../errors.js';
import type { Principal, SessionEntry, StoredTexts, SubjectKey } from '../sessions/index.js';

/** The option `permissionChanges`. */
export interface PermissionChanges {
  /**
   * Whether every change that had been announced when it was called is committed or undone, for example because a lock
   * is free that each change holds from before its announcement to its end. Called by each node, after a change once a
   * second until it is true.
   */
  readonly areSettled: () => boolean | Promise<boolean>;
}

/** Permissions of principals that are kept in this process, as long as none have changed on any node. */
export interface KeptPermissions {
  /** Reads the version. In the turn of the event loop in which a session is read, both share a round trip. */
  look(): Promise<SessionEntry>;
  /** The grants of the version that was looked at. They are loaded unless they are kept. */
  grantsAt(looking: Promise<SessionEntry>, principal: Principal): Promise<readonly string[]>;
  /** The kept grants, and the version in the store under which they are current. */
  known(owner: SubjectKey): { readonly grants: readonly string[]; readonly unchanged: RequiredValue } | null;
  /** From now on no node uses grants that it has kept, until the change is settled. */
  announce(): Promise<void>;
}

export interface KeptPermissionsOptions {
  readonly store: Pick<TtlStore, 'setIfAbsent' | 'compareAndSet'> & Partial<Pick<TtlStore, 'set'>>;
  readonly texts: StoredTexts;
  readonly load: (principal: Principal) => Promise<readonly string[]>;
  readonly changes: PermissionChanges;
  readonly monotonic: () => number;
  readonly onFailure: (error: unknown) => void;
}

interface Kept {
  /** The version in the store. */
  readonly text: string;
  readonly grants: readonly string[];
  readonly loadedAt: number;
}

const NAME = 'permissions-version';

/** Without an entry, permissions are loaded, so its expiry does no harm. */
const VERSION_TTL_MILLIS = 24 * 3600 * 1000;

/** The time after which a change appears that was not announced, such as one that an operator made by SQL. */
const MAX_KEPT_MILLIS = 10_000;

/** The pause after an attempt to renew the version. */
const PAUSE_MILLIS = 1000;

const MIN_KEPT_SUBJECTS = 2048;

/**
 * The version in the store is random, so that an old one never comes back as a new one. An announcement replaces it by
 * one under which nothing is kept. A node that meets that one loads permissions, and renews the version when all
 * announced changes have ended. A version is settled only under the mark of the store under which it was written: after
 * a loss, an announcement may be missing.
 *
 * So a node that reads a settled version, and then loads, sees every change that was announced under an earlier one.
 * Each later change is announced before it commits, and that replaces the version.
 */
export function createKeptPermissions(options: KeptPermissionsOptions): KeptPermissions {
  const { store, texts, load, changes, monotonic, onFailure } = options;
  const key = texts.keyOf(NAME);
  const kept = new LruCache<Kept>(MIN_KEPT_SUBJECTS);
  let isRenewing = false;
  let renewsFrom = Number.NEGATIVE_INFINITY;

  const nameOf = ({ audience, subject }: SubjectKey) => `${audience}:${subject}`;
  const isYoung = ({ loadedAt }: Kept) => monotonic() - loadedAt < MAX_KEPT_MILLIS;
  const startUnder = (mark: string) => `settled:${mark}:`;

  async function renew({ text: seen, mark }: SessionEntry): Promise<void> {
    if (isRenewing || monotonic() < renewsFrom) return;
    isRenewing = true;
    try {
      const areSettled = await changes.areSettled();
      const text = startUnder(mark) + randomName();
      if (areSettled && seen === null) await store.setIfAbsent(key, text, VERSION_TTL_MILLIS);
      if (areSettled && seen !== null) await store.compareAndSet(key, seen, text, VERSION_TTL_MILLIS);
    } catch (error) {
      onFailure(error);
    }
    renewsFrom = monotonic() + PAUSE_MILLIS;
    isRenewing = false;
  }

  return {
    look() {
      const looking = failClosed(() => texts.read(NAME), SessionStoreUnavailableError);
      // The session is read at the same time, and may be refused.
      looking.catch(() => {});
      return looking;
    },

    async grantsAt(looking, principal) {
      const seen = await looking;
      const name = nameOf(principal);
      const known = kept.get(name);
      const isSettled = seen.text?.startsWith(startUnder(seen.mark)) === true;
      if (isSettled && known?.text === seen.text && isYoung(known)) return known.grants;
      const loadedAt = monotonic();
      const grants = await load(principal);
      if (isSettled) kept.set(name, { text: seen.text!, grants, loadedAt });
      else void renew(seen);
      return grants;
    },

    known(owner) {
      const known = kept.get(nameOf(owner));
      if (known === undefined || !isYoung(known)) return null;
      return { grants: known.grants, unchanged: { key, expected: known.text } };
    },

    announce: () =>
      failClosed(() => store.set!(key, `changing:${randomName()}`, VERSION_TTL_MILLIS), SessionStoreUnavailableError),
  };
}

function randomName(): string {
  return randomBytes(9).toString('base64url');
}
