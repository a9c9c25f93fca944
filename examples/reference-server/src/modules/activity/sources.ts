import { networkKey, parseIp } from '@sallyport/plugin-kit/addresses';
import type { TtlStore } from '@sallyport/ttl-store';
import { addCount, mostFrequent, type TopCount, type TopCounts } from './top-counts.js';
import { type ActivityWindow, createWaitingCounts, readAll, type Windows } from './waiting-counts.js';

export type SourceAudience = 'admin' | 'app';

/** A sign-in that failed, at its first or its second step. */
export interface FailedSignIn {
  readonly audience: SourceAudience;
  /** As it was typed: it may be a password. Null: not known. */
  readonly username: string | null;
  /** The id of the account, where the client has proved the password already. */
  readonly accountId?: string | null;
  readonly clientIp: string | null;
}

/** The names, addresses and networks of failed sign-ins. The counts are the least that there were. */
export interface Sources {
  readonly names: readonly { readonly audience: SourceAudience; id: string; name: string; failures: number }[];
  readonly addresses: readonly { readonly address: string; failures: number }[];
  /** IPv4 by /24, IPv6 by /48. */
  readonly networks: readonly { readonly network: string; failures: number }[];
}

/** The accounts, which are counted by their ids. */
export interface SourceAccounts {
  idOf(audience: SourceAudience, username: string): Promise<string | null>;
  /** As operators see them, by id. */
  namesOf(audience: SourceAudience, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface SourceCounts {
  /** Call it without waiting: a wait would show a client which names exist. */
  note(failed: FailedSignIn): void;
  flush(): Promise<void>;
  /** @throws {StoreUnavailableError} */
  read(window: ActivityWindow): Promise<Sources>;
}

export interface SourceCountsOptions {
  readonly store: Pick<TtlStore, 'get' | 'getAll' | 'compareAndSet'>;
  readonly accounts: SourceAccounts;
  /** Milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

const WINDOWS = {
  hour: { interval: 600_000, length: 6 },
  day: { interval: 3_600_000, length: 24 },
} as const satisfies Windows;

const KINDS = ['names', 'addresses', 'networks'] as const;
type Kind = (typeof KINDS)[number];
type Counted = Record<Kind, TopCounts>;

/** The keys of each kind that one interval of the store has, and as many wait here. */
const CAPACITY = 64;

/** The number that is shown of each kind. */
const SHOWN = 10;

/** Names that are looked up at the same time. A flood has more, whose names are then not counted. */
const MAX_LOOKUPS = 32;

/** Other nodes write at the same time. What they keep out waits for the next second. */
const ATTEMPTS = 3;

const nothing = (): Counted => ({ names: new Map(), addresses: new Map(), networks: new Map() });

/**
 * Counts where sign-ins fail: the ids of accounts that exist, addresses and networks. Each interval is one entry of the
 * store, which all nodes change one after the other. The name that was typed is looked up, and never kept.
 */
export function createSourceCounts({ store, accounts, now = Date.now }: SourceCountsOptions): SourceCounts {
  let lookups = 0;
  const waiting = createWaitingCounts<Counted>({
    ...{ windows: WINDOWS, now },
    sumOf(present = nothing(), counted) {
      merge(present, counted, CAPACITY);
      return present;
    },
    async write(key, counted, lifetime) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const present = await store.get(key);
        const merged = read(present);
        merge(merged, counted, CAPACITY);
        if (await store.compareAndSet(key, present, write(merged), lifetime)) return true;
      }
      return false;
    },
  });

  const keyOf = (window: ActivityWindow, place: number) => `activity:sources:${window}:${place}`;

  function count(kind: Kind, key: string): void {
    const once = { ...nothing(), [kind]: new Map([[key, [key, 1, 0]]]) };
    waiting.add(({ window, place }) => keyOf(window, place), once);
  }

  async function countName(audience: SourceAudience, username: string): Promise<void> {
    if (lookups >= MAX_LOOKUPS) return;
    lookups += 1;
    try {
      const id = await accounts.idOf(audience, username);
      if (id !== null) count('names', `${audience}:${id}`);
    } finally {
      lookups -= 1;
    }
  }

  async function named(counts: TopCounts): Promise<Sources['names']> {
    // More than are shown, since accounts may be gone.
    const found = mostFrequent(counts, CAPACITY).map(({ key, count }) => {
      const [audience, id] = key.split(':') as [SourceAudience, string];
      return { audience, id, failures: count };
    });
    const idsOf = (wanted: SourceAudience) => found.flatMap(({ audience, id }) => (audience === wanted ? [id] : []));
    const [admin, app] = await Promise.all([
      accounts.namesOf('admin', idsOf('admin')),
      accounts.namesOf('app', idsOf('app')),
    ]);
    const names = found.flatMap((each) => {
      const name = (each.audience === 'admin' ? admin : app).get(each.id);
      return name === undefined ? [] : [{ ...each, name }];
    });
    return names.slice(0, SHOWN);
  }

  return {
    note({ audience, username, accountId, clientIp }) {
      const address = clientIp === null ? null : parseIp(clientIp);
      if (address !== null) {
        const text = address.toString();
        count('addresses', text);
        count('networks', address.kind() === 'ipv4' ? `${text.replace(/\.\d+$/, '.0')}/24` : networkKey(address, 48));
      }
      if (accountId != null) count('names', `${audience}:${accountId}`);
      // A name whose look-up fails is not counted.
      else if (username !== null) countName(audience, username).catch(() => {});
    },
    flush: waiting.flush,
    async read(window) {
      await waiting.flush();
      const places = waiting.placesOf(window);
      const found = await readAll(
        store,
        places.map((place) => keyOf(window, place)),
      );
      const sum = nothing();
      for (const text of found) merge(sum, read(text), CAPACITY * places.length);
      const shown = (kind: Kind) => mostFrequent(sum[kind], SHOWN);
      return {
        names: await named(sum.names),
        addresses: shown('addresses').map(({ key, count }) => ({ address: key, failures: count })),
        networks: shown('networks').map(({ key, count }) => ({ network: key, failures: count })),
      };
    },
  };
}

function merge(into: Counted, from: Counted, capacity: number): void {
  for (const kind of KINDS) for (const each of from[kind].values()) addCount(into[kind], capacity, each);
}

function write(counted: Counted): string {
  return JSON.stringify(KINDS.map((kind) => [...counted[kind].values()]));
}

function read(text: string | null): Counted {
  const counted = nothing();
  if (text === null) return counted;
  const lists = JSON.parse(text) as TopCount[][];
  for (const [index, kind] of KINDS.entries()) for (const each of lists[index] ?? []) counted[kind].set(each[0], each);
  return counted;
}
