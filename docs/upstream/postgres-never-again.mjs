// postgres.js: in an application that survives the TypeError of postgres-crash.mjs, the connection never works again.
import postgres from 'postgres';

process.on('uncaughtException', (error) => console.log('uncaught:', error.message));
const sql = postgres(process.env.DATABASE_URL, { max: 1, connect_timeout: 2, backoff: 0.1 });
const killer = postgres(process.env.DATABASE_URL, { max: 1 });

await sql
  .begin(async (transaction) => {
    const [{ pid }] = await transaction`select pg_backend_pid() as pid`;
    setTimeout(() => killer`select pg_terminate_backend(${pid})`.catch(() => {}), 100);
    await transaction`select pg_sleep(5)`;
  })
  .catch((error) => console.log('begin() rejected:', error.code));

await new Promise((resolve) => setTimeout(resolve, 500));
for (let attempt = 1; attempt <= 3; attempt += 1) {
  const answer = await sql`select 1 as one`.then(
    ([row]) => row.one,
    (error) => error.code,
  );
  console.log(`select 1, attempt ${attempt}:`, answer);
}
process.exit();
