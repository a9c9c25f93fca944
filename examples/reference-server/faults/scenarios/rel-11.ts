import { setTimeout as sleep } from 'node:timers/promises';
import { callFor } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import { type MixedLoadReport, mixedLoadAccounts, sendMixedLoad } from '../mixed-load.js';
import type { Fleet, Node } from '../node.js';
import type { Finding } from '../observed-run.js';
import { megabytes, readResources } from '../process-resources.js';
import { quantile } from '../quantile.js';
import { readServiceKey } from '../sealed-copy.js';
import type { Scenario, Site } from './scenario.js';
import { type SharedFleet, setParameters, startSharedFleet } from './shared-fleet.js';

/** Warm-up requests, after which all code is loaded and compiled, and all connections are open. */
const WARM_UP_REQUESTS = 400;

const PER_SECOND = 100;

/** The minimum number of requests, even in a short run. */
const MIN_REQUESTS = 400;

const SAMPLE_MILLIS = 2000;

/** The allowed heap growth, in bytes, for late compilation and bounded caches. */
const HEAP_ROOM_BYTES = 12e6;

/** The allowed number of additional descriptors, for transient connections to stores and clients. */
const SPARE_DESCRIPTORS = 30;

/** SV-17: the limit for growth of resident memory. Runs under twenty minutes are too short to check it. */
const MAX_GROWTH_PER_HOUR = 0.1;
const MIN_MINUTES_FOR_SLOPE = 20;

const probe = new URL('../dist/memory-probe.js', import.meta.url);

/** The fleet settings for this scenario: the load comes from many client addresses. */
export const watchedFleet = {
  isBehindProxy: true,
  environment: { NODE_OPTIONS: `--import=${probe.href}`, SERVICE_TRUSTED_PROXIES: '127.0.0.1' },
};

/** REL-11, SV-17: under mixed load from many addresses, memory, descriptors and response times do not grow. */
export const rel11: Scenario = {
  name: 'rel-11',
  meaning: `${PER_SECOND} mixed requests a second, --minutes 30; memory, descriptors, times`,
  stores: ['redis'],
  async run(site, { minutes }) {
    const shared = await startSharedFleet(site, watchedFleet);
    try {
      return [await watchGrowth(site, shared, minutes)];
    } finally {
      await shared.close();
    }
  },
};

/** Runs the scenario on nodes that were started with {@link watchedFleet}. */
export async function watchGrowth(site: Site, shared: SharedFleet, minutes: number): Promise<Finding> {
  const { fleet, origins, proxy, token } = shared;
  await setParameters(origins[0], token, {
    'admin.auth.login.ip-failure-count': 0,
    'admin.storage.upload.max-size-mb': 1,
  });
  for (const body of mixedLoadAccounts) await callFor(201, origins[0], '/admin/administrators', { token, body });
  const key = await readServiceKey(origins[0]);
  const load = { origin: proxy.origin, token, key, perSecond: minutes === 0 ? null : PER_SECOND };
  await sendMixedLoad({ ...load, count: WARM_UP_REQUESTS });
  const before = await levelOf(fleet);
  const count = Math.max(MIN_REQUESTS, minutes * 60 * PER_SECOND);
  site.say(`${count} mixed requests`);
  const [report, samples] = await sampled(fleet, () => sendMixedLoad({ ...load, count }));
  const after = await levelOf(fleet);
  const slopes = samples.map(growthPerHour);
  return finding(site, report, [before, after], slopes, minutes);
}

/** The resources of an idle node. */
interface Level {
  readonly heapBytes: number;
  readonly descriptors: number;
}

async function levelOf({ nodes }: Fleet): Promise<Level[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const heapBytes = Number(await node.report());
      return { heapBytes, descriptors: (await readResources(node.pid())).descriptors };
    }),
  );
}

interface Sample {
  readonly at: number;
  readonly rssBytes: number;
}

/** Samples the resident memory of each node during `work`. */
async function sampled<Result>({ nodes }: Fleet, work: () => Promise<Result>): Promise<[Result, Sample[][]]> {
  const samples: Sample[][] = nodes.map(() => []);
  let isDone = false;
  const finished = work().finally(() => {
    isDone = true;
  });
  async function sample(node: Node, into: Sample[]): Promise<void> {
    const { rssBytes } = await readResources(node.pid());
    into.push({ at: performance.now(), rssBytes });
  }
  while (!isDone) {
    await Promise.all(nodes.map((node, index) => sample(node, samples[index]!)));
    await Promise.race([sleep(SAMPLE_MILLIS), finished]);
  }
  return [await finished, samples];
}

/** Returns the slope of a linear fit through the last two thirds of the samples, relative to their mean. */
function growthPerHour(samples: readonly Sample[]): number {
  const later = samples.slice(Math.floor(samples.length / 3));
  const mean = (pick: (one: Sample) => number) => later.reduce((sum, one) => sum + pick(one), 0) / later.length;
  const [atMean, rssMean] = [mean(({ at }) => at), mean(({ rssBytes }) => rssBytes)];
  const spread = later.reduce((sum, { at }) => sum + (at - atMean) ** 2, 0);
  const joint = later.reduce((sum, { at, rssBytes }) => sum + (at - atMean) * (rssBytes - rssMean), 0);
  return spread === 0 ? 0 : ((joint / spread) * 3_600_000) / rssMean;
}

function finding(
  { store, isTimed }: Site,
  { times, violations: wrong }: MixedLoadReport,
  [before, after]: readonly [readonly Level[], readonly Level[]],
  slopes: readonly number[],
  minutes: number,
): Finding {
  const third = Math.ceil(times.length / 3);
  const [early, late] = [quantile(times.slice(0, third), 0.99), quantile(times.slice(-third), 0.99)].map(Math.round);
  const isLong = minutes >= MIN_MINUTES_FOR_SLOPE;
  const violations: Violation[] = [...wrong];
  for (const [index, level] of before.entries()) {
    const [now, slope] = [after[index]!, slopes[index]!];
    const grow = (detail: string) => violations.push({ kind: 'growth', key: `node ${index + 1}`, detail });
    const grownBytes = now.heapBytes - level.heapBytes;
    if (grownBytes > HEAP_ROOM_BYTES) grow(`heap ${megabytes(level.heapBytes)} + ${megabytes(grownBytes)}`);
    if (now.descriptors > level.descriptors + SPARE_DESCRIPTORS) {
      grow(`descriptors ${level.descriptors} → ${now.descriptors}`);
    }
    if (isLong && slope > MAX_GROWTH_PER_HOUR) grow(`resident memory ${percent(slope)} an hour`);
  }
  if (isLong && isTimed !== false && late! > 2 * early! + 50) {
    violations.push({ kind: 'growth', key: 'times', detail: `p99 ${early} → ${late} ms` });
  }
  const show = (pick: (level: Level) => string | number) =>
    before.map((level, index) => `${pick(level)} → ${pick(after[index]!)}`).join(', ');
  return {
    scenario: 'REL-11',
    store,
    fault: `${PER_SECOND} mixed requests/s`,
    times: minutes,
    keys: 0,
    attempts: times.length,
    acknowledged: times.length - wrong.length,
    submitted: 0,
    unknown: 0,
    slowestMillis: Math.round(times.reduce((most, time) => Math.max(most, time), 0)),
    rows: 0,
    measured:
      `heap at rest ${show(({ heapBytes }) => megabytes(heapBytes))}; descriptors ${show(({ descriptors }) => descriptors)}; ` +
      `resident ${slopes.map((slope) => `${percent(slope)}/h`).join(', ')}; p99 ${early} → ${late} ms`,
    violations,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
