import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import { createSourceAccounts } from '../../../src/modules/activity/source-accounts.js';
import { createSourceCounts } from '../../../src/modules/activity/sources.js';
import { addCount, mostFrequent, type TopCounts } from '../../../src/modules/activity/top-counts.js';

const HOUR = 3_600_000;
const ids: Readonly<Record<string, string>> = { 'li.hua': 'id-1', admin: 'id-2' };

/** Nodes with one store, which shows all that was written to it. */
function nodes(count: number) {
  const clock = { now: Date.UTC(2026, 10, 28, 12, 5) };
  const memory = createMemoryStore();
  const written: string[] = [];
  const state = { isAway: false, lookups: 0 };
  const store: Pick<TtlStore, 'get' | 'getAll' | 'compareAndSet'> = {
    get: (key) => memory.get(key),
    getAll: (keys) => memory.getAll!(keys),
    async compareAndSet(key, ...rest) {
      if (state.isAway) throw new StoreUnavailableError();
      written.push(key, ...rest.map(String));
      return memory.compareAndSet(key, ...rest);
    },
  };
  const find = async (name: string) => {
    state.lookups += 1;
    return ids[name] ?? null;
  };
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const accounts = createSourceAccounts(
    {
      administrators: {
        findByUsername: async (name) => find(name).then((id) => (id === null ? null : { id })),
        namesOf: async (wanted) => new Map([...names].filter(([id]) => wanted.includes(id))),
      },
      appUserNames: { idOf: find, namesOf: async () => new Map() },
    },
    (name) => name.toLowerCase(),
    () => clock.now,
  );
  const made = Array.from({ length: count }, () => createSourceCounts({ store, accounts, now: () => clock.now }));
  return { clock, made, written, state, names };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('where failed sign-ins come from', () => {
  it('API-5: a name that no account has is in no store and no answer, though people type passwords there', async () => {
    const { made, written } = nodes(1);
    const [node] = made;
    for (const username of ['hunter2-is-my-password', 'LI.HUA', 'x'.repeat(5000), '']) {
      node!.note({ audience: 'admin', username, clientIp: '203.0.113.7' });
    }
    node!.note({ audience: 'app', username: 'hunter3', clientIp: 'not an address' });
    await settled();
    const { names, addresses, networks } = await node!.read('hour');
    expect(names).toEqual([{ audience: 'admin', id: 'id-1', name: 'li.hua', failures: 1 }]);
    expect(addresses).toEqual([{ address: '203.0.113.7', failures: 4 }]);
    expect(networks).toEqual([{ network: '203.0.113.0/24', failures: 4 }]);
    expect(written.join()).not.toMatch(/hunter|li\.hua|xxx/i);
    expect(written.join()).toContain('id-1');
  });

  it('API-5: all nodes are one, also when they write at once; old intervals leave, and gone accounts too', async () => {
    const { clock, made, names } = nodes(4);
    for (let round = 0; round < 5; round += 1) {
      for (const node of made) node.note({ audience: 'admin', username: 'admin', clientIp: '2001:db8:1:2::7' });
      await settled();
      await Promise.all(made.map((node) => node.flush()));
    }
    // What a node could not write yet is written by its next second.
    for (let second = 0; second < 4; second += 1) await Promise.all(made.map((node) => node.flush()));
    const { addresses, networks } = await made[0]!.read('day');
    expect(addresses).toEqual([{ address: '2001:db8:1:2::7', failures: 20 }]);
    expect(networks).toEqual([{ network: '2001:db8:1::/48', failures: 20 }]);
    expect((await made[1]!.read('hour')).names).toMatchObject([{ name: 'admin', failures: 20 }]);
    names.delete('id-2');
    expect((await made[1]!.read('hour')).names).toEqual([]);
    clock.now += HOUR;
    expect((await made[2]!.read('hour')).addresses).toEqual([]);
    expect((await made[2]!.read('day')).addresses).toHaveLength(1);
  });

  it('API-5: a flood from many addresses fills no memory, hides no frequent one, and never counts too much', async () => {
    const { made, written } = nodes(1);
    const [node] = made;
    const truth = new Map<string, number>();
    const note = (clientIp: string) => {
      truth.set(clientIp, (truth.get(clientIp) ?? 0) + 1);
      node!.note({ audience: 'admin', username: null, clientIp });
    };
    for (let i = 0; i < 20_000; i += 1) {
      note(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
      if (i % 10 === 0) note('198.51.100.9');
      if (i % 5000 === 0) await node!.flush();
    }
    const { addresses } = await node!.read('hour');
    expect(addresses[0]!.address).toBe('198.51.100.9');
    expect(addresses[0]!.failures).toBeGreaterThan(1000);
    for (const { address, failures } of addresses) expect(failures).toBeLessThanOrEqual(truth.get(address)!);
    expect(Math.max(...written.map((text) => text.length))).toBeLessThan(12_000);
  });

  it('API-5: what a store that is away did not take is counted once, and a name is looked up once a minute', async () => {
    const { made, state, clock } = nodes(1);
    const [node] = made;
    state.isAway = true;
    for (let minute = 0; minute < 2000; minute += 1) {
      node!.note({ audience: 'admin', username: null, clientIp: '192.0.2.1' });
      clock.now += 60_000;
    }
    await expect(node!.flush()).rejects.toThrow(StoreUnavailableError);
    await expect(node!.flush()).rejects.toThrow(StoreUnavailableError);
    state.isAway = false;
    const { addresses } = await node!.read('hour');
    expect(addresses[0]!.failures).toBeGreaterThanOrEqual(50);
    expect(addresses[0]!.failures).toBeLessThanOrEqual(60);
    expect((await node!.read('hour')).addresses).toEqual(addresses);

    for (let i = 0; i < 20; i += 1) {
      node!.note({ audience: 'admin', username: 'admin', clientIp: null });
      await settled();
    }
    expect(state.lookups).toBe(1);
  });

  it('API-5: Space-Saving keeps every key that is more frequent than one in its places', () => {
    const counts: TopCounts = new Map();
    for (let i = 0; i < 1000; i += 1) addCount(counts, 4, [i % 3 === 0 ? 'often' : `once-${i}`, 1, 0]);
    expect(counts.size).toBe(4);
    const [first] = mostFrequent(counts, 1);
    expect(first!.key).toBe('often');
    expect(first!.count).toBeLessThanOrEqual(334);
    expect(counts.get('often')![1]).toBeGreaterThanOrEqual(334);
  });
});
