// postgres.js: a backend that ends during a query of sql.begin() ends the process, too.
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });
const killer = postgres(process.env.DATABASE_URL, { max: 1 });

const outcome = await sql
  .begin(async (transaction) => {
    const [{ pid }] = await transaction`select pg_backend_pid() as pid`;
    setTimeout(() => killer`select pg_terminate_backend(${pid})`.catch(() => {}), 100);
    await transaction`select pg_sleep(5)`;
  })
  .catch((error) => error.code);
console.log('begin() rejected:', outcome);

await new Promise((resolve) => setTimeout(resolve, 500));
console.log('the process goes on:', (await sql`select 1 as one`)[0].one);
await Promise.all([sql.end(), killer.end()]);
