// `pnpm run bench PRF-4`: measures the cost of refusing a client that sends too many requests, compared with an answer
// from bare Fastify, with the packages alone and in the whole reference server. Refusals by the rate limit are logged
// at level info; refusals by the flood gate are not logged.
import { compareRates, startServer } from './servers-in-turn.mjs';

const limited = { SERVICE_RATE_LIMIT_MAX_REQUESTS: '1', SERVICE_RATE_LIMIT_WINDOW_SECONDS: '86400' };
const bare = await startServer('bare');
const packages = await startServer('packages', { maxRequests: 1 });
const byLimit = await startServer('guarded', { ...limited, SERVICE_LOG_LEVEL: 'warn' });
const logging = await startServer('guarded', limited);
const byGate = await startServer('guarded', {
  SERVICE_FLOOD_GATE_MAX_REQUESTS: '1',
  SERVICE_FLOOD_GATE_WINDOW_SECONDS: '3600',
});

await compareRates([
  { name: 'bare Fastify, 200', server: bare, path: '/bench', status: 200 },
  { name: '429 of the rate limit, public route', server: packages, path: '/bench/public', status: 429 },
  { name: '429 of the rate limit, after a token check', server: packages, path: '/bench', status: 429 },
  { name: 'whole reference server, 429, public route', server: byLimit, path: '/bench/public', status: 429 },
  { name: 'whole reference server, 429, after a token check', server: byLimit, path: '/bench', status: 429 },
  {
    name: 'whole reference server, 429, public route, a log line',
    server: logging,
    path: '/bench/public',
    status: 429,
  },
  { name: 'whole reference server, 429 of the flood gate', server: byGate, path: '/bench/public', status: 429 },
]);
for (const server of [bare, packages, byLimit, logging, byGate]) await server.stop();
