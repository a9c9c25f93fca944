// postgres.js: the queue of a pool's free connections keeps a place for each connection that it ever handed out, until
// all are in use at once, and searches all places for each statement.
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 3 });
await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.1)`)); // opens three connections

const STATEMENTS = 40_000;
for (let round = 1; round <= 4; round += 1) {
  const start = process.cpuUsage();
  for (let statement = 0; statement < STATEMENTS; statement += 1) await sql`select 1`;
  const { user, system } = process.cpuUsage(start);
  const micros = (user + system) / STATEMENTS;
  console.log(`${round * STATEMENTS} statements: ${micros.toFixed(0)} µs of processor time each`);
}
await sql.end();
