// postgres.js: the head of a statement (Parse, Describe, Flush) is sent while another one is under way. POOLER_URL is
// PgBouncer in transaction mode, before the database of DATABASE_URL.
import postgres from 'postgres';

for (const options of [{ prepare: false }, { prepare: false, max_pipeline: 1 }, { prepare: false, max_pipeline: 0 }]) {
  const sql = postgres(process.env.POOLER_URL, { max: 10, fetch_types: false, ...options });
  let answered = 0;
  const all = Promise.all(
    Array.from({ length: 400 }, async (_, index) => {
      await (index % 2 === 0 ? sql.unsafe('select 1') : sql.unsafe('select $1::int', [index]));
      answered += 1;
    }),
  );
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 4000))]);
  console.log(`${JSON.stringify(options)}: ${answered} of 400 statements were answered within 4 s`);
}
process.exit();
