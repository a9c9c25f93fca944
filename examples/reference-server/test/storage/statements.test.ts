import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { countStatements, type RouteStatements, statementTable } from '../../bench/statement-counts.mjs';
import { measureOn, openMeasuredNodes } from '../support/measured-nodes.js';

const redisUrl = inject('redisUrl') as string;

describe.skipIf(lacks('redis'))('statements of a request', () => {
  let nodes: Awaited<ReturnType<typeof openMeasuredNodes>>;
  let rows: readonly RouteStatements[];
  const counter = countStatements();

  beforeAll(async () => {
    nodes = await openMeasuredNodes(redisUrl);
    const { app } = await nodes.openQuiet();
    rows = await measureOn(app, counter.take, (call) => counter.during(async () => app.inject(call)));
  });
  afterAll(async () => {
    counter.stop();
    await nodes.close();
  });

  it('PRF-10 no request makes drizzle build a query', () => {
    expect(rows.length).toBeGreaterThan(20);
    const building = rows.filter(({ built }) => built.length > 0).map(({ route, built }) => ({ route, built }));
    expect(building).toEqual([]);
  });

  it('PRF-10 the number of statements of each request matches the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`\n${statementTable(rows)}\n`);
  });
});
