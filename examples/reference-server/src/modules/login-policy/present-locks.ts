import {
  type ExplainInput,
  type LoginAttempts,
  type LoginExplanation,
  type LoginPolicyEvent,
  LoginTerminalRefusedError,
} from '@sallyport/login-policy';
import type { TtlStore } from '@sallyport/ttl-store';
import type { Policies } from './terminals.js';

type LockEvent = Extract<LoginPolicyEvent, { type: 'locked' }>;
type Audience = keyof Policies;

/** The accounts of both audiences, which locks name by their ids. */
export interface LockedAccounts {
  readonly administrators: {
    findByUsername(username: string): Promise<{ readonly id: string } | null>;
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  readonly appUserNames: {
    idOf(mobile: string): Promise<string | null>;
    numberOf(id: string): Promise<string | null>;
  };
}

/** A lock in force. Of a name, at an address or at all of them; or of an address, for all names. */
export interface PresentLock {
  readonly audience: Audience;
  /** The user name, or the number. Null for the lock of an address. */
  readonly username: string | null;
  readonly terminal: string;
  readonly clientIp: string;
  readonly scope: 'subject' | 'account' | 'ip';
  /** In milliseconds since 1970. */
  readonly lockedUntil: number;
}

export interface PresentLocks {
  /**
   * Notes a lock that begins. Only locks of accounts that exist are kept, since people type passwords into the field of
   * the name, and locks of addresses. Call it without waiting: a wait would show a client which names exist.
   */
  note(audience: Audience, event: LockEvent): Promise<void>;
  /**
   * A page of the locks in force. A lock that was cleared is not among them.
   *
   * @throws {StoreUnavailableError}
   */
  read(request: {
    readonly terminal?: string | undefined;
    readonly after: string | null;
    readonly size: number;
  }): Promise<{ readonly locks: PresentLock[]; readonly next: string | null }>;
}

const LIST = 'login-locks';

interface Note {
  readonly audience: Audience;
  readonly id: string | null;
  readonly terminal: string;
  readonly scope: PresentLock['scope'];
  readonly clientIp: string;
}

/** Items of lists are printable ASCII, and none of these texts contains a space. */
const itemOf = ({ audience, id, terminal, scope, clientIp }: Note) =>
  [audience, id ?? '-', terminal, scope, clientIp].join(' ');

function noteOf(item: string): Note {
  const [audience, id, terminal, scope, clientIp] = item.split(' ') as [
    Audience,
    string,
    string,
    Note['scope'],
    string,
  ];
  return { audience, id: id === '-' ? null : id, terminal, scope, clientIp };
}

/** A name that no account can have. The counter of an address is the same for all names. */
const NO_NAME = '-';

/** Nobody signs in at a terminal that has left the settings. */
async function countersOf(policy: LoginAttempts, input: ExplainInput): Promise<LoginExplanation['counters']> {
  try {
    return (await policy.explain(input)).counters;
  } catch (error) {
    if (error instanceof LoginTerminalRefusedError) return [];
    throw error;
  }
}

export function createPresentLocks(
  store: Pick<TtlStore, 'lists'>,
  policies: Policies,
  { administrators, appUserNames }: LockedAccounts,
  now: () => number = Date.now,
): PresentLocks {
  const { lists } = store;
  if (lists === undefined) throw new TypeError('the store of sessions has no lists');

  async function idOf(audience: Audience, username: string): Promise<string | null> {
    if (audience === 'app') return appUserNames.idOf(username);
    return (await administrators.findByUsername(username))?.id ?? null;
  }

  async function nameOf(audience: Audience, id: string): Promise<string | null> {
    if (audience === 'app') return appUserNames.numberOf(id);
    return (await administrators.namesOf([id])).get(id) ?? null;
  }

  /** Null if the lock is over. */
  async function present(note: Note): Promise<PresentLock | null> {
    const { audience, id, terminal, scope, clientIp } = note;
    const username = id === null ? null : await nameOf(audience, id);
    if (id !== null && username === null) return null;
    const counters = await countersOf(policies[audience], { username: username ?? NO_NAME, terminal, clientIp });
    const locked = counters.find(({ counter, state }) => counter === scope && state === 'locked');
    if (locked?.state !== 'locked') return null;
    return { audience, username, terminal, clientIp, scope, lockedUntil: locked.lockedUntil };
  }

  return {
    async note(audience, { account, counter, lockedUntil, subject }) {
      // A known device that counts as unknown locks nobody out.
      if (counter === 'device') return;
      const id = counter === 'ip' ? null : await idOf(audience, account.username);
      if (counter !== 'ip' && id === null) return;
      const note = { audience, id, terminal: account.terminal, scope: counter, clientIp: subject.clientIp };
      await lists.put(LIST, itemOf(note), Math.max(1, Math.ceil(lockedUntil - now())));
    },
    async read({ terminal, after, size }) {
      const { items, next } = await lists.read(LIST, after, size);
      const found = await Promise.all(
        items.map(async (item) => {
          const note = noteOf(item);
          if (terminal !== undefined && note.terminal !== terminal) return null;
          const lock = await present(note);
          if (lock === null) await lists.remove(LIST, item);
          return lock;
        }),
      );
      return { locks: found.filter((lock) => lock !== null), next };
    },
  };
}
