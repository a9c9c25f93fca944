import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { asc } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { createTestDatabase } from '../../../../scripts/test-database.js';
import { lacks } from '../../../../scripts/test-needs.js';
import type { DrizzleDatabase } from '../../src/chain/index.js';
import { createAuditDelivery, createSyslogTarget, TargetUnavailableError } from '../../src/delivery.js';
import { auditDeliveries, auditRecords, createAuditTables, createPostgresAuditSink } from '../../src/postgres.js';
import { makeKey, makeRecords } from '../records.js';
import { createTestAuthority } from './certificates.js';
import { FAULTS, startFaultyReceiver } from './faulty-receiver.js';
import { parseMessage } from './rfc5424.js';
import { type RsyslogProcess, startRsyslog } from './rsyslog-process.js';

/** Twice every fault of the HTTP receiver. */
const ROUNDS = 2 * FAULTS.length;
const MIN_RECORDS = 3000;
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

interface DeliveringProcess {
  /** The last line that it printed. */
  status: string;
  kill(): Promise<void>;
}

function startDelivering(settings: object): DeliveringProcess {
  const program = fileURLToPath(new URL('delivering-process.ts', import.meta.url));
  const loader = ['--conditions=@sallyport/source', '--import=tsx', program, JSON.stringify(settings)];
  const child: ChildProcess = spawn(process.execPath, loader, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const started: DeliveringProcess = {
    status: '',
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
  createInterface({ input: child.stdout! }).on('line', (line) => {
    started.status = line;
  });
  return started;
}

async function readStored(database: DrizzleDatabase): Promise<(readonly [number, string])[]> {
  const { sequence, id } = auditRecords;
  const stored = await database.select({ sequence, id }).from(auditRecords).orderBy(asc(sequence));
  return stored.map((record) => [record.sequence, record.id]);
}

/** What rsyslogd wrote. Each of its kills cuts one line at most; every other message is whole, and none is forged. */
async function readReceived(rsyslog: RsyslogProcess, kills: number): Promise<(readonly [number, string])[]> {
  const lines = await rsyslog.messages();
  const received = lines.flatMap((line) => {
    try {
      const { sequence, id = '' } = parseMessage(line).parameters;
      return [[Number(sequence), id] as const];
    } catch {
      return [];
    }
  });
  expect(lines.length - received.length).toBeLessThanOrEqual(kills);
  return received;
}

/** The first of each id. */
const withoutRepeated = (arrived: readonly (readonly [number, string])[]) => {
  const seen = new Set<string>();
  return arrived.filter(([, id]) => !seen.has(id) && seen.add(id));
};

const withRsyslog = it.skipIf(lacks('rsyslog', 'openssl'));

withRsyslog(
  'AUD-13 rsyslog over TLS and an HTTP receiver lack nothing and keep the order, while they and the nodes are killed',
  async () => {
    const database = await createTestDatabase();
    const authority = await createTestAuthority();
    await authority.issue('server');
    await authority.issue('client');
    const rsyslog = await startRsyslog(authority.folder);
    const receiver = await startFaultyReceiver();
    const settings = {
      ...{ databaseUrl: database.url, folder: authority.folder, syslogPort: rsyslog.port, ndjsonUrl: receiver.url },
    };
    const nodes: DeliveringProcess[] = [];
    try {
      const own = database.connect();
      await createAuditTables(own);
      const sink = createPostgresAuditSink({ database: own, key: makeKey(), timeoutMillis: 30_000 });
      nodes.push(startDelivering(settings), startDelivering(settings));
      await vi.waitFor(
        () => expect(nodes.some(({ status }) => status.includes('syslog:delivering'))).toBe(true),
        30_000,
      );

      let isWriting = true;
      const writing = (async () => {
        let written = 0;
        for (; isWriting || written < MIN_RECORDS; written += 50) {
          await sink.append(makeRecords(50, () => ({ target: 'line\r\n<34>1 - - - - - - forged "]' })));
          await sleep(50);
        }
        return written;
      })();
      let killedNodes = 0;
      let killedReceivers = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const fault = FAULTS[round % FAULTS.length]!;
        const metBefore = receiver.met.get(fault) ?? 0;
        await receiver.set(fault);
        await sleep(300);
        // The node that sends to rsyslog dies, or rsyslog itself.
        const sender = nodes.findIndex(({ status }) => /syslog:(?:delivering|failing)/.test(status));
        if (round % 3 === 0 && sender !== -1) {
          await nodes[sender]?.kill();
          killedNodes += 1;
          nodes[sender] = startDelivering(settings);
        } else if (round % 3 === 1) {
          await rsyslog.kill();
          killedReceivers += 1;
          await sleep(200);
          await rsyslog.start();
        }
        if (fault === 'away') await sleep(500);
        else await vi.waitFor(() => expect(receiver.met.get(fault) ?? 0).toBeGreaterThan(metBefore), 20_000);
      }
      await receiver.set('none');
      isWriting = false;
      const written = await writing;
      await sink.close();
      await vi.waitFor(
        async () => {
          const cursors = await own.select().from(auditDeliveries);
          expect(cursors.map(({ sequence }) => sequence)).toEqual([written, written]);
        },
        { timeout: 60_000, interval: 200 },
      );

      const expected = await readStored(own);
      expect(expected).toHaveLength(written);
      expect(killedNodes).toBeGreaterThan(1);
      expect(withoutRepeated(receiver.arrived)).toEqual(expected);

      const received = await readReceived(rsyslog, killedReceivers);
      expect(withoutRepeated(received)).toEqual(expected);
      process.stderr.write(
        `\nDelivered ${written} records: rsyslog received ${received.length}, the HTTP receiver ${receiver.arrived.length}\n`,
      );
    } finally {
      await Promise.all(nodes.map((node) => node.kill()));
      await rsyslog.kill();
      await receiver.close().catch(() => {});
      await authority.remove();
      await database.drop();
    }
  },
  180_000,
);

withRsyslog(
  'AUD-13 an rsyslogd that is killed in the middle of batches lacks nothing',
  async () => {
    const database = await createTestDatabase();
    const authority = await createTestAuthority();
    await authority.issue('server');
    const client = await authority.issue('client');
    const rsyslog = await startRsyslog(authority.folder);
    const own = database.connect();
    await createAuditTables(own);
    const sink = createPostgresAuditSink({ database: own, key: makeKey(), timeoutMillis: 30_000 });
    // A batch is longer than rsyslogd reads at once, so that a kill finds a part of it unread.
    const parameters = { text: 'x'.repeat(5000) };
    for (let i = 0; i < 20; i += 1) await sink.append(makeRecords(200, () => ({ parameters })));
    await sink.close();
    const receiver = { host: '127.0.0.1', port: rsyslog.port, servername: 'server.test', ca: authority.ca };
    const target = createSyslogTarget({ ...receiver, ...client, timeoutMillis: 2000 });
    const delivery = createAuditDelivery({
      database: own,
      destination: 'syslog',
      target,
      maxBatch: 200,
      pollMillis: 20,
    });
    try {
      // rsyslogd refuses this certificate after the handshake: nothing may count as delivered.
      const stranger = createSyslogTarget({ ...receiver, ...(await authority.issue('stranger')) });
      await expect(stranger.send([], new AbortController().signal)).rejects.toThrow(TargetUnavailableError);

      delivery.start();
      let kills = 0;
      for (let lag = 1; lag > 0; { lagRecords: lag } = await delivery.health()) {
        await vi.waitFor(() => expect(delivery.status).toBe('delivering'), 20_000);
        // A batch takes some tens of milliseconds: the kills meet it in different places.
        await sleep(5 + 7 * (kills % 9));
        await rsyslog.kill();
        kills += 1;
        await rsyslog.start();
      }
      const received = await readReceived(rsyslog, kills);
      expect(withoutRepeated(received)).toEqual(await readStored(own));
      process.stderr.write(`\nDelivered 4000 records over ${kills} kills: rsyslog received ${received.length}\n`);
    } finally {
      await delivery.close();
      await rsyslog.kill();
      await authority.remove();
      await database.drop();
    }
  },
  180_000,
);
