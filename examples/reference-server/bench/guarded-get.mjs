// `pnpm run bench PRF-3`: measures what the token check, rate limit, policy and audit decision add to a GET, compared
// with the same answer from bare Fastify.
//
// The packages alone are what the requirement compares. The whole reference server does more per request: request id,
// client IP, flood gate, security headers, lifetimes from the dynamic parameters, and metrics. Both use the embedded
// stores and write no log, as bare Fastify does, except where the row says so. The last row also commits an audit
// record. It is shown for information and is not part of the comparison.
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
