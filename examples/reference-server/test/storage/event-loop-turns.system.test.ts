import { setImmediate } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { expect, it } from 'vitest';
import { letEventLoopTurn } from '../../src/storage/event-loop-turns.js';

const STATEMENTS = 20;

/** Each takes some milliseconds. */
const statement = 'select count(*)::int as n from generate_series(1, 40000)';

it('PRF-6 a burst of statements of the embedded database does not starve the event loop', async () => {
  const client = await PGlite.create();
  try {
    letEventLoopTurn(client);
    let isRunning = true;
    let turns = 0;
    const burst = Promise.all(Array.from({ length: STATEMENTS }, () => client.query(statement))).finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await setImmediate();
      turns += 1;
    }
    // Without yielding, the burst would end within the first turns.
    expect(turns).toBeGreaterThan(STATEMENTS / 2);
    expect((await burst).map(({ rows }) => rows)).toEqual(Array(STATEMENTS).fill([{ n: 40_000 }]));
  } finally {
    await client.close();
  }
}, 60_000);
