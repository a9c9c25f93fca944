// drizzle-orm over node-postgres: a backend that ends before `begin` is answered.
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';

const takesItsClient = process.argv[2] === 'own-client';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 3, connectionTimeoutMillis: 2000 });
pool.on('error', () => {});
pool.on('connect', (client) => client.on('error', () => {}));
const killer = new pg.Client({ connectionString: process.env.DATABASE_URL });
await killer.connect();
const database = drizzle(pool);

async function onOwnClient(work) {
  const client = await pool.connect();
  let broken;
  try {
    return await drizzle(client).transaction(work);
  } catch (error) {
    broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}
const transaction = takesItsClient ? onOwnClient : (work) => database.transaction(work);

/** A backend ends while its connection is idle, and the end is read when the transaction has begun. */
async function round() {
  const client = await pool.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  client.connection.stream.pause();
  pool.once('acquire', () => client.connection.stream.resume());
  await killer.query('select pg_terminate_backend($1, 1000)', [rows[0].pid]);
  client.release();
  await transaction((tx) => tx.execute('select 1'));
}

for (let count = 1; count <= 4; count += 1) {
  const outcome = await round().then(
    () => 'resolved',
    (error) => `rejected: ${error.cause?.message ?? error.message}`,
  );
  console.log(`${count}. ${outcome}; total ${pool.totalCount}, idle ${pool.idleCount}`);
}
process.exit();
