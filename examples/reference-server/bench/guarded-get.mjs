// `pnpm run bench PRF-3`: what a GET costs behind token check, rate limit, policy and audit decision, beside the same
// answer of bare Fastify. Once with the packages alone, which is what the requirement compares; and once in the whole
// reference server, which does more for each request: request id, client IP, flood gate, security headers, lifetimes
// from the dynamic parameters, counts for the metrics. Both on the embedded stores, and without a log line but where it
// is said: bare Fastify writes none. The last row also commits an audit record and is there to be seen, not to be
// compared.
import { compareRates, startServer } from './servers-in-turn.mjs';

const bare = await startServer('bare');
const packages = await startServer('packages');
const whole = await startServer('guarded', { SERVICE_LOG_LEVEL: 'warn' });
const logging = await startServer('guarded');

await compareRates([
  { name: 'bare Fastify', server: bare, path: '/bench', status: 200 },
  { name: 'token, rate limit, policy, audit decision', server: packages, path: '/bench', status: 200 },
  { name: 'the same without a token, on a public route', server: packages, path: '/bench/public', status: 200 },
  { name: 'whole reference server, token', server: whole, path: '/bench', status: 200 },
  { name: 'whole reference server, token, a log line', server: logging, path: '/bench', status: 200 },
  { name: 'whole reference server, public route', server: whole, path: '/bench/public', status: 200 },
  {
    name: 'whole reference server, token, an audit record committed',
    server: whole,
    path: '/bench/recorded',
    status: 200,
  },
]);
for (const server of [bare, packages, whole, logging]) await server.stop();
