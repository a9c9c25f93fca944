// postgres.js: BEGIN as the 100th query in the pipeline of a connection opens a transaction that nobody holds.
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1, onnotice: () => {} });
await sql`drop table if exists notes`;
await sql`create table notes (text text)`;
const settle = (promise) =>
  promise.then(
    () => 'resolved',
    (error) => `rejected, ${error.code ?? error.message}`,
  );

// One is the active query; max_pipeline is 100.
const queries = Array.from({ length: Number(process.env.QUERIES ?? 100) }, () => settle(sql.unsafe('select 1')));
const begun = settle(sql.begin((transaction) => transaction`select 1`));
await Promise.all(queries);
console.log('begin():', await begun);
await sql`insert into notes values ('of an unrelated caller')`;
const onlooker = postgres(process.env.DATABASE_URL, { max: 1 });
console.log(
  'sessions:',
  (
    await onlooker`select state from pg_stat_activity where pid <> pg_backend_pid()
  and backend_type = 'client backend'`
  ).map(({ state }) => state),
);
console.log('notes that others see:', (await onlooker`select text from notes`).length);
process.exit();
