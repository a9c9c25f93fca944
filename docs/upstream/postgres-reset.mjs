// postgres.js: a connection that is reset (ECONNRESET) during a query of sql.begin(). A proxy resets it.
import { connect, createServer } from 'node:net';
import postgres from 'postgres';

const target = new URL(process.env.DATABASE_URL);
const sockets = [];
const proxy = createServer((client) => {
  const server = connect(Number(target.port), target.hostname);
  client.pipe(server).pipe(client);
  sockets.push(client);
  for (const end of [client, server]) end.on('error', () => {});
}).listen(0, '127.0.0.1');
await new Promise((resolve) => proxy.once('listening', resolve));

const url = Object.assign(new URL(target), { port: String(proxy.address().port) }).href;
const sql = postgres(url, { max: 1, connect_timeout: 2, backoff: 0.1 });
process.on('uncaughtException', (error) => console.log('uncaught:', error.message));
const settle = (promise) =>
  Promise.race([
    promise.then(
      () => 'resolved',
      (error) => `rejected, ${error.code ?? error.message}`,
    ),
    new Promise((resolve) => setTimeout(resolve, 4000, 'nothing after 4 s')),
  ]);

const broken = sql.begin(async (transaction) => {
  await transaction`select 1`;
  setTimeout(() => sockets.at(-1).resetAndDestroy(), 100);
  await transaction`select pg_sleep(5)`;
});
console.log('begin():', await settle(broken));
await new Promise((resolve) => setTimeout(resolve, 500));
for (let attempt = 1; attempt <= 3; attempt += 1)
  console.log(`select 1, attempt ${attempt}:`, await settle(sql`select 1`));
console.log('begin() again:', await settle(sql.begin((transaction) => transaction`select 1`)));
process.exit();
