import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as nodeTest from 'node:test';
import { type FactorRecord, type FactorRecords, NO_FACTORS } from '../records/index.js';

/** The part of a test runner that the suite uses. Vitest, Jest and `node:test` have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/** Records that are open for one test. */
export interface OpenedFactorRecords {
  readonly records: FactorRecords;
  /** Opens the same records again, as another process would. Races use both. Default: `records` again. */
  openAgain?(): FactorRecords | Promise<FactorRecords>;
  /** An account that no other test uses, in the form of your ids. Default: a random text. */
  principal?(): string | Promise<string>;
  /** Called when the test is over. */
  close?(): void | Promise<void>;
}

interface Stage {
  readonly openings: readonly [FactorRecords, FactorRecords];
  newPrincipal(): Promise<string>;
}

/** Enough callers to catch a read before the write, and few enough for every connection pool. */
const CALLERS = 20;

/** A record with every kind of factor, and texts that a table could change. */
function fullRecord(): FactorRecord {
  return {
    ...NO_FACTORS,
    version: randomUUID(),
    epoch: randomUUID(),
    userHandle: 'dXNlci1oYW5kbGU',
    totp: {
      id: randomUUID(),
      name: 'Handy “Büro” 手机 \u{1F511} \\ \' "',
      secret: 'v1:k1:c2VjcmV0',
      algorithm: 'SHA1',
      lastUsedStep: 58_333_333,
      createdAt: 1_790_000_000_123,
      lastUsedAt: null,
    },
    recoveryCodes: { id: randomUUID(), hashes: ['a', 'b'], createdAt: 1, lastUsedAt: 2 },
    passkeys: [
      {
        id: 'cGFzc2tleQ',
        name: null,
        publicKey: 'x'.repeat(2732),
        counter: 4_294_967_295,
        transports: ['internal', 'hybrid'],
        isBackupEligible: true,
        isBackedUp: false,
        aaguid: '00000000-0000-0000-0000-000000000000',
        createdAt: 1_790_000_000_123,
        lastUsedAt: 1_790_000_000_456,
      },
    ],
  };
}

const another = (record: FactorRecord): FactorRecord => ({ ...record, version: randomUUID() });

/** Writes by all callers at once, and the number of them that won. */
async function race(
  { openings }: Stage,
  principal: string,
  expectedVersion: string | null,
): Promise<{ won: number; versions: readonly string[] }> {
  const candidates = Array.from({ length: CALLERS }, () => another(fullRecord()));
  const results = await Promise.all(
    candidates.map((record, caller) => openings[caller % 2]!.replace(principal, expectedVersion, record)),
  );
  for (const result of results) assert.equal(typeof result, 'boolean', 'replace must resolve to true or false');
  const versions = candidates.filter((_, caller) => results[caller]).map(({ version }) => version);
  return { won: versions.length, versions };
}

const scenarios: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async 'read resolves to null for an account without a record'({ openings, newPrincipal }) {
    assert.equal(await openings[0].read(await newPrincipal()), null);
  },

  async 'read resolves to the record as it was written, on every node'({ openings, newPrincipal }) {
    const [principal, record] = [await newPrincipal(), fullRecord()];
    assert.equal(await openings[0].replace(principal, null, record), true);
    for (const opening of openings) assert.deepEqual(await opening.read(principal), record);
  },

  async 'replace with null writes only the first record'({ openings, newPrincipal }) {
    const [principal, record] = [await newPrincipal(), fullRecord()];
    assert.equal(await openings[0].replace(principal, null, record), true);
    assert.equal(await openings[1].replace(principal, null, another(record)), false);
    assert.deepEqual(await openings[1].read(principal), record);
  },

  async 'replace with a version writes only over that version'({ openings, newPrincipal }) {
    const principal = await newPrincipal();
    const first = fullRecord();
    assert.equal(await openings[0].replace(principal, first.version, first), false);
    assert.equal(await openings[0].read(principal), null);
    await openings[0].replace(principal, null, first);
    const second = another({ ...first, totp: null, passkeys: [] });
    assert.equal(await openings[1].replace(principal, first.version, second), true);
    assert.equal(await openings[0].replace(principal, first.version, another(first)), false);
    assert.deepEqual(await openings[0].read(principal), second);
  },

  async 'of all parallel first records exactly one is written'(stage) {
    const principal = await stage.newPrincipal();
    const { won, versions } = await race(stage, principal, null);
    assert.equal(won, 1, 'exactly one caller must win');
    assert.equal((await stage.openings[0].read(principal))?.version, versions[0]);
  },

  async 'of all parallel changes of one version exactly one is written'(stage) {
    const [principal, record] = [await stage.newPrincipal(), fullRecord()];
    await stage.openings[0].replace(principal, null, record);
    const { won, versions } = await race(stage, principal, record.version);
    assert.equal(won, 1, 'exactly one caller must win');
    assert.equal((await stage.openings[1].read(principal))?.version, versions[0]);
  },

  async 'a record is that of one account alone'({ openings, newPrincipal }) {
    const [one, other] = [await newPrincipal(), await newPrincipal()];
    const record = fullRecord();
    await openings[0].replace(one, null, record);
    assert.equal(await openings[0].read(other), null);
    assert.equal(await openings[0].replace(other, record.version, another(record)), false);
  },

  async 'a record that was read may be changed without effect'({ openings, newPrincipal }) {
    const [principal, record] = [await newPrincipal(), fullRecord()];
    await openings[0].replace(principal, null, record);
    const read = (await openings[0].read(principal)) as { version: string };
    read.version = 'changed';
    assert.deepEqual(await openings[0].read(principal), record);
  },
};

/**
 * Proves your table: one test for every sentence of {@link FactorRecords}, races included.
 *
 * @param name the name of the group of tests
 * @param open opens the records; it may return the same ones each time
 * @param runner declares the tests, such as `{ describe, it }` of Vitest. Default: `node:test`
 *
 * @example
 * ```ts
 * describeFactorRecords('my table', () => ({
 *   records: createMemoryFactorRecords(), // your table here
 *   // openAgain: () => …, on another connection
 * }));
 * ```
 */
export function describeFactorRecords(
  name: string,
  open: () => OpenedFactorRecords | Promise<OpenedFactorRecords>,
  runner: TestRunner = nodeTest,
): void {
  const { describe, it } = runner;
  describe(name, () => {
    for (const [sentence, play] of Object.entries(scenarios)) {
      it(sentence, async () => {
        const opened = await open();
        try {
          const { records } = opened;
          const newPrincipal = async () => (await opened.principal?.()) ?? randomUUID();
          await play({ openings: [records, (await opened.openAgain?.()) ?? records], newPrincipal });
        } finally {
          await opened.close?.();
        }
      });
    }
  });
}
