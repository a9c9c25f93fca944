import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { lastRecord } from '../audit-log-reader.js';
import { AFTER_LEASE_MILLIS, checkChain, judgeCell, untilServing } from '../audited-cell.js';
import { noteAccounts, requestsOfEach, setLoadParameters } from '../audited-fleet.js';
import type { Violation } from '../history-checker.js';
import { type Fleet, type Node, startFleet } from '../node.js';
import type { Finding } from '../observed-run.js';
import { checkRows } from '../reconciled-rows.js';
import { type Ask, installShadow, lastShadow } from '../shadow.js';
import { canMountDisks, mountSmallDisk, type SmallDisk } from '../small-disk.js';
import { createAccountNames } from '../state-changes.js';
import { checkContents } from '../stored-contents.js';
import { type Burst, prepareWritingLoad } from '../writing-load.js';
import { loadEnvironment } from '../writing-operations.js';
import type { Counts, Site } from './scenario.js';

const LEASE_SECONDS = 5;

/** An empty embedded database has 80 MB, most of it the log of transactions. */
const DISK_MEGABYTES = 300;

const AWAY_MILLIS = 4000;

/** Two sweeps of the pending records, of three seconds each, and a group commit. */
const SETTLE_MILLIS = 8000;

const RECOVERY_LIMIT_MILLIS = 60_000;

interface EmbeddedFault {
  readonly name: string;
  readonly lastsMillis: number;
  inject(site: EmbeddedSite): Promise<number>;
}

interface EmbeddedSite {
  readonly node: Node;
  /** Null: nothing can be filled. */
  readonly disk: SmallDisk | null;
  readonly crashes: number;
  readonly burst: Burst;
}

const KILLED = 'kill -9 of the node and its database';
const FULL = 'disk full';

/** The first is none. */
export const embeddedFaults: readonly EmbeddedFault[] = [
  { name: 'no fault', lastsMillis: 0, inject: async () => 0 },
  {
    name: KILLED,
    lastsMillis: 4000,
    async inject({ node, crashes, burst }) {
      for (let count = 0; count < crashes; count += 1) {
        await sleep(Math.random() * 1000);
        await burst();
        await node.kill();
        await node.start();
      }
      return crashes;
    },
  },
  {
    name: FULL,
    lastsMillis: AWAY_MILLIS,
    async inject({ disk, burst }) {
      await disk!.fill();
      await burst();
      await sleep(AWAY_MILLIS);
      await disk!.empty();
      return 1;
    },
  },
];

/**
 * One node with the embedded database. Nobody else can open it while the node runs: no lock can be held, and what
 * changed is read after the node stopped.
 */
export async function runEmbedded(
  site: Site,
  counts: Counts,
  faults: readonly EmbeddedFault[] = embeddedFaults,
): Promise<Finding[]> {
  const disk = canMountDisks ? await mountSmallDisk(DISK_MEGABYTES) : null;
  const folder = disk === null ? await mkdtemp(join(tmpdir(), 'sallyport-embedded-')) : join(disk.folder, 'data');
  try {
    return await runInFolder(site, counts, faults, { folder, disk });
  } finally {
    if (disk === null) await rm(folder, { recursive: true, force: true });
    await disk?.close();
  }
}

interface EmbeddedPlace {
  readonly folder: string;
  /** The disk of the folder; null: it can't be filled. */
  readonly disk: SmallDisk | null;
}

async function runInFolder(
  site: Site,
  counts: Counts,
  faults: readonly EmbeddedFault[],
  { folder, disk }: EmbeddedPlace,
): Promise<Finding[]> {
  const fleet = await startFleet({
    databaseUrl: null,
    redisUrl: null,
    store: 'embedded',
    leaseSeconds: LEASE_SECONDS,
    nodes: 1,
    isShipped: true,
    environment: { ...loadEnvironment, SERVICE_DATA_DIR: folder },
  });
  const node = fleet.nodes[0]!;
  try {
    const names = createAccountNames();
    const token = await fleet.signIn();
    await setLoadParameters(node.origin, token);
    let after = await whileStopped(node, folder, async (ask) => {
      await noteAccounts(ask, names);
      await installShadow(ask);
      return { shadow: await lastShadow(ask), record: await lastRecord(ask) };
    });
    site.say('locks of tables and of the chain head: NOT RUN, the embedded database has one connection');
    const findings: Finding[] = [];
    for (const fault of faults) {
      const isPossible = fault.name !== FULL || disk !== null;
      site.say(isPossible ? fault.name : `${fault.name}: NOT RUN, this process may not mount a small file system`);
      if (!isPossible) continue;
      const context = { origin: node.origin, token };
      const giveUpMillis = 3 * (fleet.leaseMillis + AFTER_LEASE_MILLIS);
      const load = await prepareWritingLoad({
        origins: [node.origin],
        context,
        each: requestsOfEach(counts),
        giveUpMillis,
      });
      let times = 0;
      const { lastsMillis } = fault;
      await load.send(
        async (burst) => {
          times = await fault.inject({ node, disk, crashes: counts.crashes, burst });
        },
        { lastsMillis, bursts: fault.name === KILLED ? counts.crashes : 1 },
      );
      const violations: Violation[] = [
        ...endedNodes(fleet),
        ...(await untilServing([node.origin], token, RECOVERY_LIMIT_MILLIS)),
      ];
      await sleep(SETTLE_MILLIS);
      violations.push(...(await checkContents(node.origin, token, load.uploads)));
      const before = after;
      const finding = await whileStopped(node, folder, async (ask, client) => {
        violations.push(...(await checkPending(ask)), ...(await checkChain(drizzle(client))));
        violations.push(...(await checkRows(drizzle(client))).found);
        after = { shadow: await lastShadow(ask), record: await lastRecord(ask) };
        const { leaseMillis } = fleet;
        const cell = { fault: fault.name, times, store: site.store, load, leaseMillis, after: before, names };
        return judgeCell(ask, { ...cell, values: [], violations });
      });
      findings.push(finding);
    }
    return findings;
  } finally {
    await fleet.close();
  }
}

const endedNodes = ({ nodes }: Fleet): Violation[] =>
  nodes
    .filter((node) => !node.isRunning())
    .map(({ origin }) => ({ kind: 'node-ended', key: origin, detail: 'though nobody stopped it' }));

/** Records that are not in the chain, although two sweeps have passed. */
async function checkPending(ask: Ask): Promise<Violation[]> {
  const rows = await ask<{ id: string }>('select id from audit_pending');
  return rows.map(({ id }) => ({ kind: 'audit-record-waits', key: id, detail: 'after two sweeps' }));
}

/** Stops the node, opens its database, and starts the node again. */
async function whileStopped<Result>(
  node: Node,
  folder: string,
  work: (ask: Ask, client: PGlite) => Promise<Result>,
): Promise<Result> {
  if (node.isRunning()) await node.stop();
  const client = await PGlite.create(join(folder, 'pglite'));
  try {
    return await work(async <Row>(statement: string) => (await client.query<Row>(statement)).rows, client);
  } finally {
    await client.close();
    await node.start();
  }
}
