import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiAnswer, callApi } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import type { Finding } from '../observed-run.js';
import { readServiceKey, type SealedCopy, sealGet } from '../sealed-copy.js';
import { openVolatileStore } from '../volatile-store.js';
import type { Scenario, Site } from './scenario.js';
import { type SharedFleet, startSharedFleet } from './shared-fleet.js';

/** The difference between the clocks of the nodes. */
const SKEW_MILLIS = 200_000;

/** The server's default tolerance for a client's clock. */
const WINDOW_MILLIS = 300_000;

/** The client's clock error, relative to the node that gets the envelope first. */
const AHEAD_MILLIS = 295_000;

/** The time for which accepted envelopes are replayed: until no clock accepts their timestamp. */
const WATCH_MILLIS = AHEAD_MILLIS + WINDOW_MILLIS + SKEW_MILLIS + 60_000;

const clock = new URL('../dist/skewed-clock.js', import.meta.url);

/**
 * REL-5, RPL-7: the clocks of two nodes differ by 200 s, and a client's clock is 295 s ahead. Every accepted envelope
 * is replayed to both nodes while the harness advances the clocks of the nodes, until none of them would accept its
 * timestamp. The clock of the store, which judges it, goes on as always.
 */
export const rel5: Scenario = {
  name: 'rel-5',
  meaning: 'clocks 200 s apart, a client 295 s ahead: replays until no clock takes them any more; --rounds 20',
  stores: ['postgres', 'redis', 'redis-cluster'],
  async run(site, { rounds }) {
    const skewed = await startSkewedFleet(site);
    try {
      return [await replayEverywhere(site, skewed, rounds)];
    } finally {
      await skewed.close();
    }
  },
};

/** Nodes with skewed clocks that the harness can advance. */
export interface SkewedFleet {
  readonly shared: SharedFleet;
  /** Advances the clocks of the nodes; negative: sets them back. */
  moveOn(millis: number): Promise<void>;
  /** Deletes the nonces in the store, without a trace of the loss. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** @param skewMillis the difference between the clocks of the nodes */
export async function startSkewedFleet(
  site: Site,
  { skewMillis = SKEW_MILLIS, environment = {} }: { skewMillis?: number; environment?: Record<string, string> } = {},
): Promise<SkewedFleet> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-clock-'));
  const file = join(folder, 'moved-millis');
  await writeFile(file, '0');
  const shared = await startSharedFleet(site, {
    environment: { ...environment, NODE_OPTIONS: `--import=${clock.href}`, FAULT_CLOCK_FILE: file },
    environmentOf: (index) => ({ FAULT_CLOCK_SKEW_MILLIS: String(-index * skewMillis) }),
  });
  const store = openVolatileStore(site, shared.fleet.keyPrefix);
  let movedMillis = 0;
  return {
    shared,
    forget: () => store.forget('replay:', 'replay:mark'),
    async moveOn(millis) {
      movedMillis += millis;
      // Renaming is atomic: a node never reads a partly written file.
      await writeFile(`${file}.new`, String(movedMillis));
      await rename(`${file}.new`, file);
    },
    async close() {
      await store.close();
      await shared.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @param isForgetful whether the store forgets the nonces after the first round, to test the scenario itself */
export async function replayEverywhere(
  site: Site,
  { shared, moveOn, forget }: SkewedFleet,
  rounds: number,
  isForgetful = false,
): Promise<Finding> {
  site.say(`clocks ${SKEW_MILLIS / 1000} s apart, ${rounds} steps in ${WATCH_MILLIS / 1000} s`);
  const envelopes = await sendFirst(shared);
  const violations: Violation[] = [];
  for (const { what, accepted, isFromBefore } of envelopes) {
    if (accepted === 0 && !isFromBefore)
      violations.push({ kind: 'refused', key: what, detail: 'it is within the window' });
  }
  let attempts = envelopes.length;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, origin] of shared.origins.entries()) {
      for (const envelope of envelopes) {
        attempts += 1;
        if (!isAccepted(await callApi(origin, envelope.copy.path, envelope.copy.request))) continue;
        envelope.accepted += 1;
        const seconds = Math.round((round * WATCH_MILLIS) / rounds / 1000);
        violations.push({
          kind: 'replay-accepted',
          key: envelope.what,
          detail: `node ${index + 1}, after ${seconds} s`,
        });
      }
    }
    if (isForgetful && round === 0) await forget();
    if (round < rounds) await moveOn(WATCH_MILLIS / rounds);
  }
  return {
    scenario: 'REL-5',
    store: site.store,
    fault: 'clocks 200 s apart',
    times: rounds,
    keys: envelopes.length,
    attempts,
    acknowledged: envelopes.reduce((sum, { accepted }) => sum + accepted, 0),
    submitted: 0,
    unknown: 0,
    slowestMillis: 0,
    rows: envelopes.filter(({ accepted }) => accepted > 0).length,
    violations,
  };
}

interface Watched {
  readonly what: string;
  readonly copy: SealedCopy;
  /** Stamped before the first start on this store, which refuses it: a store that is empty may have lost it (RPL-6). */
  readonly isFromBefore: boolean;
  accepted: number;
}

/** Sends each node one envelope for each clock error of the client. */
async function sendFirst({ origins, token }: SharedFleet): Promise<Watched[]> {
  const envelopes: Watched[] = [];
  for (const [index, origin] of origins.entries()) {
    for (const offMillis of [AHEAD_MILLIS, 0, -AHEAD_MILLIS]) {
      const key = await readServiceKey(origin);
      const copy = sealGet(key, '/admin/profile', token, key.serverTime + offMillis);
      const what = `${offMillis / 1000} s off node ${index + 1}`;
      const accepted = isAccepted(await callApi(origin, copy.path, copy.request)) ? 1 : 0;
      envelopes.push({ what, copy, accepted, isFromBefore: offMillis < 0 });
    }
  }
  return envelopes;
}

const isAccepted = ({ status }: ApiAnswer) => status === 200;
