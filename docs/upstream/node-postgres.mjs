// node-postgres: a backend that ends within a transaction.
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';

const hasListener = process.argv[2] === 'with-listener';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const killer = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
if (hasListener) pool.on('connect', (client) => client.on('error', (error) => console.log('listener:', error.message)));
pool.on('error', (error) => console.log('pool:', error.message));
await killer.query('drop table if exists notes');
await killer.query('create table notes (text text)');
const database = drizzle(pool);
const settle = (promise) =>
  promise.then(
    () => 'resolved',
    (error) => `rejected: ${error.cause?.message ?? error.message}`,
  );
const pidOf = async (transaction) => (await transaction.execute('select pg_backend_pid() as pid')).rows[0].pid;
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

console.log(
  '1. during a query:',
  await settle(
    database.transaction(async (transaction) => {
      const pid = await pidOf(transaction);
      setTimeout(() => killer.query('select pg_terminate_backend($1)', [pid]), 100);
      await transaction.execute('select pg_sleep(5)');
    }),
  ),
);
await pause(200);
console.log('   the pool goes on:', await settle(database.execute('select 1')));

console.log(
  '2. between two queries:',
  await settle(
    database.transaction(async (transaction) => {
      await transaction.execute("insert into notes values ('before the break')");
      await killer.query('select pg_terminate_backend($1)', [await pidOf(transaction)]);
      await pause(200);
      await transaction.execute("insert into notes values ('after the break')");
    }),
  ),
);
await pause(200);
console.log('   the pool goes on:', await settle(database.execute('select 1')));
console.log('   committed:', (await killer.query('select text from notes')).rows);
process.exit();
