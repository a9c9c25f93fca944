// `pnpm run bench PRF-3`: what a GET costs behind the whole request protection, beside the same answer of bare Fastify.
// Ours runs on the embedded stores, as it does when no service is named, and is measured with and without its log: bare
// Fastify writes none. The last line also commits an audit record and is there to be seen, not to be compared.
import { compareRates, startServer } from './servers-in-turn.mjs';

const bare = await startServer('bare');
const guarded = await startServer('guarded', { SERVICE_LOG_LEVEL: 'warn' });
const logging = await startServer('guarded');

await compareRates([
  { name: 'bare Fastify, without a log', server: bare, path: '/bench', status: 200 },
  { name: 'token, rate limit, policy, audit decision', server: guarded, path: '/bench', status: 200 },
  { name: 'the same, and a log line for each request', server: logging, path: '/bench', status: 200 },
  { name: 'without a token: rate limit, policy, audit decision', server: guarded, path: '/bench/public', status: 200 },
  {
    name: 'with a token, and an audit record committed before the reply',
    server: guarded,
    path: '/bench/recorded',
    status: 200,
  },
]);
for (const server of [bare, guarded, logging]) await server.stop();
