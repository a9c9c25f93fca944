import { setTimeout as sleep } from 'node:timers/promises';
import { MARKED_STORES } from '../marked-stores.js';
import type { Finding } from '../observed-run.js';
import { createReplayedEnvelopes } from '../replayed-envelopes.js';
import { shippedGate } from '../shipped-settings.js';
import { startSkewedFleet } from './rel-5.js';
import type { Scenario } from './scenario.js';

/** Envelopes that each node accepts before the first step. */
const ACCEPTED_BY_EACH = 6;

const WINDOW_SECONDS = 6;

/** The smallest that the server takes. */
const SKEW_SECONDS = 60;

/** After this time the records have expired, and a clock that is set back by 75 s is at the first envelopes again. */
const WAIT_SECONDS = 73;

/** The steps of the nodes' clocks, one after the other, in milliseconds. */
const STEPS = [-75_000, 75_000, 3_600_000, -3_600_000, -3_600_000, 3_600_000];

/**
 * The embedded database has the clock of its node. When it is set back by more, what is stamped before the time that it
 * showed stays refused: records may have expired by it. See 'Loss' in the README of the replay guard, rule 9.
 */
const EMBEDDED_BACK_MILLIS = 360_000;

/** A node that is served at once takes a moment on a busy machine. */
const SERVED_WITHIN_MILLIS = 2000;

/**
 * RPL-7: the wall clocks of the nodes are set, far and in both directions, when the records of the accepted envelopes
 * have expired. No envelope is accepted again, and a client whose clock is right notices nothing.
 */
export const rpl7: Scenario = {
  name: 'rpl-7',
  meaning: 'the clocks of the nodes are set back and forth by 75 s and an hour, with a window of 6 s',
  stores: MARKED_STORES,
  async run(site) {
    const isEmbedded = site.store === 'embedded';
    const skewed = await startSkewedFleet(site, {
      skewMillis: 0,
      environment: {
        ...shippedGate,
        SERVICE_API_ENCRYPTION_TIMESTAMP_WINDOW_SECONDS: String(WINDOW_SECONDS),
        SERVICE_API_ENCRYPTION_REPLAY_TTL_SECONDS: String(WINDOW_SECONDS),
        SERVICE_API_ENCRYPTION_CLOCK_SKEW_SECONDS: String(SKEW_SECONDS),
      },
    });
    try {
      const envelopes = await createReplayedEnvelopes(skewed.shared.origins, { goByNodes: isEmbedded });
      await envelopes.accept(ACCEPTED_BY_EACH);
      site.say(`until the records have expired: ${WAIT_SECONDS} s`);
      await sleep(WAIT_SECONDS * 1000);
      let slowestMillis = 0;
      let movedMillis = 0;
      let latestMillis = 0;
      let refusals = 0;
      for (const millis of STEPS) {
        await skewed.moveOn(millis);
        movedMillis += millis;
        latestMillis = Math.max(latestMillis, movedMillis);
        await envelopes.replay(`after a step of ${millis / 1000} s`);
        if (isEmbedded && latestMillis - movedMillis > EMBEDDED_BACK_MILLIS) {
          refusals += (await envelopes.outage(SERVED_WITHIN_MILLIS)) > 0 ? 1 : 0;
        } else slowestMillis = Math.max(slowestMillis, await envelopes.untilServed(SERVED_WITHIN_MILLIS));
      }
      const finding: Finding = {
        scenario: 'RPL-7',
        store: site.store,
        fault: 'clock steps both ways',
        times: STEPS.length,
        keys: envelopes.accepted,
        attempts: envelopes.accepted + envelopes.replayed,
        acknowledged: envelopes.accepted,
        submitted: 0,
        unknown: 0,
        slowestMillis,
        rows: 0,
        measured: `served after ${slowestMillis} ms${refusals === 0 ? '' : `, refused after ${refusals} steps`}`,
        violations: envelopes.violations,
      };
      return [finding];
    } finally {
      await skewed.close();
    }
  },
};
