import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { expect, it, vi } from 'vitest';
import { startPostgresProcess } from '../../../../scripts/postgres-process.js';
import { auditRecords, createAuditTables, createPostgresAuditSink, verifyAuditLog } from '../../src/postgres.js';
import { makeKey, makeRecord } from '../records.js';

const STOPS = 4;
const key = makeKey();

it('REL-3 AUD-4 after hard restarts of PostgreSQL every acknowledged record is there once', async () => {
  const server = await startPostgresProcess();
  const clients = [1, 2].map(() =>
    postgres(server.url, { max: 3, fetch_types: false, connect_timeout: 2, onnotice: () => {} }),
  );
  const [database] = clients.map((client) => drizzle(client));
  if (database === undefined) throw new Error('there are two');
  try {
    await createAuditTables(database);
    const sinks = clients.map((client) =>
      createPostgresAuditSink({ database: drizzle(client), key, timeoutMillis: 1500 }),
    );
    const acknowledged = new Set<string>();
    const refused = new Set<string>();
    let running = true;
    const work = Array.from({ length: 12 }, async (_, index) => {
      while (running) {
        const record = makeRecord();
        await sinks[index % 2]?.append([record]).then(
          () => acknowledged.add(record.id),
          () => refused.add(record.id),
        );
      }
    });
    const goesOn = async () => {
      const before = acknowledged.size;
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + 30), { timeout: 30_000 });
    };
    for (let stop = 0; stop < STOPS; stop += 1) {
      await goesOn();
      await server.kill();
      await vi.waitFor(() => expect(refused.size).toBeGreaterThan(0), { timeout: 30_000 });
      await server.start();
    }
    await goesOn();
    running = false;
    await Promise.all(work);

    const stored = (await database.select({ id: auditRecords.id }).from(auditRecords)).map(({ id }) => id);
    expect(new Set(stored).size).toBe(stored.length);
    expect([...acknowledged].filter((id) => !stored.includes(id))).toEqual([]);
    expect(stored.filter((id) => !acknowledged.has(id) && !refused.has(id))).toEqual([]);
    expect((await verifyAuditLog({ database, key })).findings).toEqual([]);
  } finally {
    await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
    await server.stop();
  }
}, 120_000);
