// postgres.js: after the connection of sql.begin() was lost, later statements of its function run on another connection
// of the pool: by themselves, or within the transaction of somebody else.
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1, onnotice: () => {}, backoff: 0 });
const onlooker = postgres(process.env.DATABASE_URL, { max: 1, onnotice: () => {} });
await onlooker`drop table if exists notes`;
await onlooker`create table notes (text text)`;

/** Ends the session of the transaction between two queries, as idle_in_transaction_session_timeout does. */
async function cut(transaction) {
  const [{ pid }] = await transaction`select pg_backend_pid() as pid`;
  await onlooker`select pg_terminate_backend(${pid})`;
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const settle = (promise) =>
  promise.then(
    () => 'resolved',
    (error) => `rejected, ${error.code ?? error.message}`,
  );

let astray;
const alone = sql.begin(async (transaction) => {
  await cut(transaction);
  await sql`select 1`; // another caller: the pool opens its connection again
  astray = await settle(transaction`insert into notes values ('by itself')`);
});
console.log('1. begin():', await settle(alone));
while (astray === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
console.log('   its insert after the break:', astray);
console.log(
  '   committed:',
  (await onlooker`select text from notes`).map(({ text }) => text),
);

const lost = settle(
  sql.begin(async (transaction) => {
    await cut(transaction);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await transaction`insert into notes values ('of the lost transaction')`;
  }),
);
await new Promise((resolve) => setTimeout(resolve, 350));
const other = settle(
  sql.begin(async (transaction) => {
    await transaction`insert into notes values ('of the other transaction')`;
    await new Promise((resolve) => setTimeout(resolve, 500));
    throw new Error('roll back');
  }),
);
console.log('2. begin() of the lost transaction:', await lost);
console.log('   begin() of the other transaction, which rolls back:', await other);
await new Promise((resolve) => setTimeout(resolve, 500));
console.log(
  '   committed:',
  (await onlooker`select text from notes`).map(({ text }) => text),
);
process.exit();
