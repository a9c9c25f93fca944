// postgres.js: statements of sql.begin() that wait for one before them never settle if the connection is lost.
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1, backoff: 0.1 });
const killer = postgres(process.env.DATABASE_URL, { max: 1 });
process.on('uncaughtException', (error) => console.log('uncaught:', error.message));
const settle = (promise) =>
  Promise.race([
    promise.then(
      () => 'resolved',
      (error) => `rejected, ${error.code ?? error.message}`,
    ),
    new Promise((resolve) => setTimeout(resolve, 4000, 'nothing after 4 s')),
  ]);

const fates = [];
const begun = sql.begin(async (transaction) => {
  const [{ pid }] = await transaction`select pg_backend_pid() as pid`;
  setTimeout(() => killer`select pg_terminate_backend(${pid})`.catch(() => {}), 100);
  fates.push(settle(transaction`select pg_sleep(${5})`)); // with a parameter: those after it wait for its description
  fates.push(settle(transaction`select 1`));
  fates.push(settle(transaction`select 2`));
  await Promise.all(fates);
});
console.log('begin():', await settle(begun));
console.log('its statements:', await Promise.all(fates));
process.exit();
