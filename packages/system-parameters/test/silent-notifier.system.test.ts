import { afterEach, describe, expect, it } from 'vitest';
import { type PoolMode, startPgbouncerProcess, USUAL_REMEDY } from '../../../scripts/pgbouncer-process.js';
import { createTestDatabase } from '../../../scripts/test-database.js';
import { lacks } from '../../../scripts/test-needs.js';
import { createSystemParameters } from '../src/index.js';
import { createPostgresNotifier, createPostgresSource, createSystemParametersTable } from '../src/postgres/index.js';
import { FAILURE_COUNT, loginParameters, tables } from './login-parameters.js';

describe.skipIf(lacks('pgbouncer'))('a notifier behind PgBouncer', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function startNodes(mode: PoolMode) {
    const own = await createTestDatabase();
    ends.push(own.drop);
    const settings = [`default_pool_size = ${mode === 'session' ? 20 : 3}`, USUAL_REMEDY];
    const pooler = await startPgbouncerProcess(own.url, mode, ...settings);
    ends.push(pooler.stop);
    const { port } = new URL(pooler.url);
    await createSystemParametersTable(own.connect());
    const start = async () => {
      const database = own.connect({ host: '127.0.0.1', port: Number(port), prepare: false, ...{ max_pipeline: 0 } });
      const warnings: { readonly kind: string; readonly millis: number }[] = [];
      const began = performance.now();
      const node = createSystemParameters({
        tables,
        source: createPostgresSource({ database }),
        notifier: createPostgresNotifier({ client: database.$client }),
        maxAgeMillis: 60_000,
        warn: ({ kind }) => void warnings.push({ kind, millis: performance.now() - began }),
      });
      ends.push(() => node.close());
      await node.start();
      return { node, warnings };
    };
    return [await start(), await start()] as const;
  }

  const countOf = async ({ node }: Awaited<ReturnType<typeof startNodes>>[0]) =>
    (await node.read(loginParameters)).failureCount;

  it('REL-15 in transaction mode it says within 5 s that it hears nothing, and polls', async () => {
    const [one, other] = await startNodes('transaction');
    await expect.poll(() => other.warnings).toEqual([expect.objectContaining({ kind: 'notifier-silent' })]);
    expect(other.warnings[0]?.millis).toBeLessThan(5000);
    expect(other.node.health()).toMatchObject({ isNotified: false });
    await one.node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'ada' });
    // Without the polls it would take the 60 seconds of `maxAgeMillis`.
    await expect.poll(() => countOf(other)).toBe(3);
  });

  it('REL-15 in session mode it hears, and says nothing', async () => {
    const [one, other] = await startNodes('session');
    await one.node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'ada' });
    await expect.poll(() => countOf(other)).toBe(3);
    expect([...one.warnings, ...other.warnings]).toEqual([]);
  });
});
