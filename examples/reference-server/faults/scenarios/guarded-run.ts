import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, callFor } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import { type Finding, type Harm, observe } from '../observed-run.js';
import { type Probe, type ProbeReport, probeWhile } from '../probes.js';
import { megabytes, readResources } from '../process-resources.js';
import { readServiceKey, type SealedCopy, type ServiceKey, sealGet } from '../sealed-copy.js';
import type { Site } from './scenario.js';
import { type SharedFleet, setParameters } from './shared-fleet.js';
import { codeFor } from './sms-code.js';
import { underLoad } from './under-load.js';

/** The limit for refusing a request whose check cannot be made, in milliseconds. */
const REFUSAL_MILLIS = 2000;

/** The limit for full recovery after the store returns, in milliseconds. */
const RECOVERY_MILLIS = 5000;

/** The maximum wait for recovery, in milliseconds. */
const PATIENCE_MILLIS = 60_000;

/** The allowed memory growth of a node, in bytes. It covers waiting requests, but not an unbounded queue. */
const MAX_GROWTH_BYTES = 150e6;

/** Requests that must always be refused: an ended session and a used envelope. */
export interface Refused {
  readonly endedToken: string;
  readonly usedEnvelope: SealedCopy;
  readonly key: ServiceKey;
}

export async function prepareRefused({ fleet, origins: [origin], token }: SharedFleet): Promise<Refused> {
  await setParameters(origin, token, { 'admin.auth.login.ip-failure-count': 0 });
  const endedToken = await fleet.signIn();
  await callFor(204, origin, '/auth/logout', { method: 'POST', token: endedToken });
  const key = await readServiceKey(origin);
  const usedEnvelope = sealGet(key, '/admin/profile', token, key.serverTime);
  await callFor(200, origin, usedEnvelope.path, usedEnvelope.request);
  return { endedToken, usedEnvelope, key };
}

const nobody = () => ({ username: randomUUID(), password: 'f'.repeat(64), terminal: 'web' });

function probesOf({ token }: SharedFleet, { endedToken, usedEnvelope, key }: Refused): Probe[] {
  return [
    { name: 'session', lawful: [200], request: async () => ({ path: '/admin/profile', request: { token } }) },
    {
      name: 'ended session',
      lawful: [401],
      request: async () => ({ path: '/admin/profile', request: { token: endedToken } }),
    },
    {
      name: 'envelope',
      lawful: [200],
      request: async () => sealGet(key, '/admin/profile', token, Date.now()),
    },
    { name: 'used envelope', lawful: [400], request: async () => usedEnvelope },
    {
      // This sign-in fails on purpose. Successful ones would end other sessions, because sessions per subject are
      // limited.
      name: 'sign-in',
      lawful: [401],
      request: async () => ({ path: '/admin/auth/login', request: { body: nobody() } }),
    },
    { name: 'health', lawful: [200], request: async () => ({ path: '/actuator/health' }) },
  ];
}

export interface GuardedRun {
  readonly scenario: string;
  readonly fault: string;
  readonly site: Site;
  readonly shared: SharedFleet;
  readonly refused: Refused;
  /** Injects the fault, and resolves when its duration has passed. */
  harm(): Promise<unknown>;
  /** Removes the fault, and resolves when the store works again. */
  heal(): Promise<unknown>;
}

/** Injects faults into the volatile stores under load, and checks the behaviour during the fault and after it. */
export async function observeGuarded({
  scenario,
  fault,
  site,
  shared,
  refused,
  harm,
  heal,
}: GuardedRun): Promise<Finding> {
  const { fleet, origins, token } = shared;
  const probes = probesOf(shared, refused);
  const refusalMillis = site.isTimed === false ? Number.POSITIVE_INFINITY : REFUSAL_MILLIS;
  const before = await heldBy(shared);
  let report: ProbeReport | undefined;
  let recoveryMillis = 0;
  let mostBytes = 0;

  async function breakAndMend(): Promise<Harm> {
    report = await probeWhile(origins, probes, { refusalMillis }, async () => {
      await harm();
      mostBytes = await heldBy(shared);
    });
    await heal();
    recoveryMillis = await recovery(shared, probes);
    return { times: 1, violations: [...report.violations, ...(await afterwards(shared))] };
  }

  const run = { scenario, fault, store: site.store, fleet, databaseUrl: site.databaseUrl, token };
  const rules = { mayBeUnknown: false, ...site.rules };
  const finding = await observe({ ...run, sealedShare: 0.2, rules }, (client) => underLoad(client, breakAndMend));
  const grownBytes = mostBytes - before;
  const { count, served, refused: refusals, slowestRefusalMillis } = report!;
  const violations: Violation[] = [...finding.violations];
  if (site.isTimed !== false && recoveryMillis > RECOVERY_MILLIS) {
    violations.push({ kind: 'late-recovery', key: fault, detail: `${recoveryMillis} ms` });
  }
  if (grownBytes > MAX_GROWTH_BYTES) violations.push({ kind: 'growth', key: fault, detail: megabytes(grownBytes) });
  return {
    ...finding,
    measured:
      `${count} probes, ${served} served, ${refusals} 503 (slowest ${slowestRefusalMillis} ms); ` +
      `itself again after ${recoveryMillis} ms; ${megabytes(before)} + ${megabytes(grownBytes)}`,
    violations,
  };
}

/** The resident memory of both nodes, in bytes. */
async function heldBy({ fleet }: SharedFleet): Promise<number> {
  const held = await Promise.all(fleet.nodes.map((node) => readResources(node.pid())));
  return held.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
}

/** Returns the time until every probe gets its normal answer on every node, in milliseconds. */
async function recovery({ origins }: SharedFleet, probes: readonly Probe[]): Promise<number> {
  const began = performance.now();
  const waits = origins.flatMap((origin) =>
    probes.map(async (probe) => {
      for (;;) {
        const { path, request } = await probe.request(origin);
        const { status } = await callApi(origin, path, request);
        if (probe.lawful.includes(status) || performance.now() - began > PATIENCE_MILLIS) return;
        await sleep(50);
      }
    }),
  );
  await Promise.all(waits);
  return Math.round(performance.now() - began);
}

let lastNumber = 13_500_000_000;

/** Checks that no process was replaced, and that the queue and parameter changes work. */
async function afterwards({ fleet, origins: [origin, other = origin], token }: SharedFleet): Promise<Violation[]> {
  const mobile = `+86${++lastNumber}`;
  const sent = await codeFor(origin, mobile).then(
    () => [],
    (error: Error): Violation[] => [{ kind: 'message-lost', key: mobile, detail: error.message }],
  );
  const ended = fleet.nodes.filter((node) => !node.isRunning());
  return [
    ...sent,
    ...(await changeIsTold(origin, other, token)),
    ...ended.map((node): Violation => ({ kind: 'node-ended', key: node.origin, detail: 'though nobody stopped it' })),
  ];
}

const TOLD_PARAMETER = 'admin.auth.password.min-length';

/** Checks that a parameter written on one node applies on the other (SYS-3). */
async function changeIsTold(origin: string, other: string, token: string): Promise<Violation[]> {
  const read = async (): Promise<number> => (await callFor(200, other, '/public/system-parameters'))[TOLD_PARAMETER];
  const value = (await read()) === 9 ? 10 : 9;
  await setParameters(origin, token, { [TOLD_PARAMETER]: value });
  for (const deadline = performance.now() + PATIENCE_MILLIS; performance.now() < deadline; await sleep(50)) {
    if ((await read()) === value) return [];
  }
  return [{ kind: 'effect-never', key: TOLD_PARAMETER, detail: 'the other node keeps to the old value' }];
}
