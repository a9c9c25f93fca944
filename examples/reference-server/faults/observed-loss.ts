import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from './observed-run.js';
import { createReplayedEnvelopes, type ReplayedEnvelopes } from './replayed-envelopes.js';
import type { Site } from './scenarios/scenario.js';
import type { SharedFleet } from './scenarios/shared-fleet.js';
import type { StoreLoss } from './store-losses.js';

/** Envelopes that each node accepts before the loss. */
const ACCEPTED_BY_EACH = 12;

/** Marks of a Redis Cluster: on each master there are some. */
const CLUSTER_PARTS = 16;

/** In the ordinary case (RPL-6). */
const SERVED_WITHIN_MILLIS = 10_000;

/** Two of the windows of a minute in which the worst case is over. */
const QUIET_WITHIN_MILLIS = 120_000;

/** After the time of a stamp far ahead: the later stamps that were announced with it, and a few seconds. */
const AFTER_AHEAD_MILLIS = 10_000;

/** A way to lose nonces. */
export interface Loss extends Omit<StoreLoss, 'lose'> {
  /** How far ahead the clients are stamped. Default 0. */
  readonly aheadMillis?: number;
  lose(shared: SharedFleet, envelopes: ReplayedEnvelopes): Promise<unknown>;
}

/** Lets the store lose nonces in one way after the other, and replays after each. */
export async function loseInTurn(site: Site, shared: SharedFleet, losses: readonly Loss[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const loss of losses) findings.push(await observeLoss(site, shared, loss));
  return findings;
}

async function observeLoss(site: Site, shared: SharedFleet, loss: Loss): Promise<Finding> {
  const { fault, aheadMillis = 0, prepare, lose } = loss;
  site.say(fault);
  const envelopes = await createReplayedEnvelopes(shared.origins, {
    parts: site.store === 'redis-cluster' ? CLUSTER_PARTS : 1,
  });
  await envelopes.untilServed(QUIET_WITHIN_MILLIS);
  await envelopes.wasNotReady();
  await prepare?.();
  await envelopes.accept(ACCEPTED_BY_EACH, aheadMillis);
  // A snapshot is older than the beat of the guard.
  if (prepare !== undefined) await sleep(1500);
  const began = performance.now();
  await lose(shared, envelopes);
  const harmMillis = performance.now() - began;
  const limitMillis = SERVED_WITHIN_MILLIS;
  const [servedMillis] = await Promise.all([envelopes.untilServed(2 * limitMillis), envelopes.replay('at once')]);
  await envelopes.replay('when clients are served again');
  // What somebody far ahead announced is refused when its time has come.
  const laterMillis = aheadMillis === 0 ? 0 : await envelopes.outage(aheadMillis + AFTER_AHEAD_MILLIS);
  if (aheadMillis > 0) await envelopes.replay('when nobody is refused any more');
  const wasNotReady = await envelopes.wasNotReady();
  const violations = [...envelopes.violations];
  if (site.isTimed !== false && servedMillis > limitMillis) {
    violations.push({ kind: 'refused', key: fault, detail: `honest clients for ${servedMillis} ms` });
  }
  if (site.isTimed !== false && laterMillis > limitMillis) {
    violations.push({ kind: 'refused', key: fault, detail: `honest clients for ${laterMillis} ms, later on` });
  }
  return {
    scenario: 'RPL-6',
    store: site.store,
    fault,
    times: 1,
    keys: envelopes.accepted,
    attempts: envelopes.accepted + envelopes.replayed,
    acknowledged: envelopes.accepted,
    submitted: 0,
    unknown: 0,
    slowestMillis: servedMillis,
    rows: 0,
    measured: [
      `served after ${servedMillis} ms`,
      ...(aheadMillis > 0 ? [`then out for ${laterMillis} ms`] : []),
      `fault ${Math.round(harmMillis)} ms`,
      ...(wasNotReady ? ['not ready'] : []),
    ].join(', '),
    violations,
  };
}
