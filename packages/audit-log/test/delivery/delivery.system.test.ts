import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { asc } from 'drizzle-orm';
import { expect, it, vi } from 'vitest';
import { createTestDatabase } from '../../../../scripts/test-database.js';
import { auditDeliveries, auditRecords, createAuditTables, createPostgresAuditSink } from '../../src/postgres.js';
import { makeKey, makeRecords } from '../records.js';
import { createTestAuthority } from './certificates.js';
import { FAULTS, startFaultyReceiver } from './faulty-receiver.js';
import { parseMessage } from './rfc5424.js';
import { rsyslogProgram, startRsyslog } from './rsyslog-process.js';

const RECORDS = 8000;
const ROUNDS = 12;
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

/** The first of each id. */
const withoutRepeated = (arrived: readonly (readonly [number, string])[]) => {
  const seen = new Set<string>();
  return arrived.filter(([, id]) => !seen.has(id) && seen.add(id));
};

it.skipIf(rsyslogProgram === null && process.env.CI !== 'true')(
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

      const writing = (async () => {
        for (let written = 0; written < RECORDS; written += 50) {
          await sink.append(makeRecords(50, () => ({ target: 'line\r\n<34>1 - - - - - - forged "]' })));
          await sleep(60);
        }
      })();
      let killedNodes = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        await receiver.set(FAULTS[round % FAULTS.length]!);
        await sleep(500);
        // The node that sends to rsyslog dies, or rsyslog itself.
        const sender = nodes.findIndex(({ status }) => /syslog:(?:delivering|failing)/.test(status));
        if (round % 3 === 0 && sender !== -1) {
          await nodes[sender]?.kill();
          killedNodes += 1;
          nodes[sender] = startDelivering(settings);
        } else if (round % 3 === 1) {
          await rsyslog.kill();
          await sleep(200);
          await rsyslog.start();
        }
        await sleep(500);
      }
      await receiver.set('none');
      await writing;
      await sink.close();
      await vi.waitFor(
        async () => {
          const cursors = await own.select().from(auditDeliveries);
          expect(cursors.map(({ sequence }) => sequence)).toEqual([RECORDS, RECORDS]);
        },
        { timeout: 60_000, interval: 200 },
      );

      const stored = await own
        .select({ sequence: auditRecords.sequence, id: auditRecords.id })
        .from(auditRecords)
        .orderBy(asc(auditRecords.sequence));
      const expected = stored.map(({ sequence, id }) => [sequence, id]);
      expect(expected).toHaveLength(RECORDS);
      expect(killedNodes).toBeGreaterThan(1);
      for (const fault of FAULTS.filter((each) => each !== 'away')) expect(receiver.met.get(fault)).toBeGreaterThan(0);
      expect(withoutRepeated(receiver.arrived)).toEqual(expected);

      const lines = await rsyslog.messages();
      const whole = lines.flatMap((line) => {
        try {
          return [parseMessage(line)];
        } catch {
          return [];
        }
      });
      // Each kill of rsyslogd cuts one line at most. The messages themselves are whole, and none is forged.
      expect(lines.length - whole.length).toBeLessThanOrEqual(ROUNDS);
      const received = whole.map(({ parameters }) => [Number(parameters.sequence), parameters.id ?? ''] as const);
      expect(withoutRepeated(received)).toEqual(expected);
      process.stderr.write(
        `\nDelivered ${RECORDS} records: rsyslog received ${whole.length}, the HTTP receiver ${receiver.arrived.length}\n`,
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
