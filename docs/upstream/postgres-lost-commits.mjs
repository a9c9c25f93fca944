// postgres.js: begin() resolves although PostgreSQL answered ROLLBACK to its commit. POOLER_URL is PgBouncer in
// transaction mode, before the database of DATABASE_URL.
import postgres from 'postgres';

const direct = postgres(process.env.DATABASE_URL, { max: 1, onnotice: () => {} });
await direct`drop table if exists notes`;
await direct`create table notes (text text)`;

for (const options of [{}, { prepare: false }]) {
  const sql = postgres(process.env.POOLER_URL, { max: 10, fetch_types: false, ...options });
  await direct`truncate notes`;
  let resolved = 0;
  await Promise.all(
    Array.from({ length: 150 }, async (_, index) => {
      await sql.begin((transaction) => transaction.unsafe(`insert into notes values ('${index}')`));
      resolved += 1;
    }),
  );
  const [{ count }] = await direct`select count(*)::int from notes`;
  console.log(`${JSON.stringify(options)}: ${resolved} of 150 begin() resolved, ${count} rows`);
}
process.exit();
