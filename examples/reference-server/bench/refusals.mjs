// `pnpm run bench PRF-4`: what it costs to refuse a client that sends too much, beside an answer of bare Fastify. What
// the rate limit refuses is logged, at the level info; what the flood gate refuses is not.
import { compareRates, startServer } from './servers-in-turn.mjs';

const limited = { SERVICE_RATE_LIMIT_MAX_REQUESTS: '1' };
const bare = await startServer('bare');
const byLimit = await startServer('guarded', { ...limited, SERVICE_LOG_LEVEL: 'warn' });
const logging = await startServer('guarded', limited);
const byGate = await startServer('guarded', {
  SERVICE_FLOOD_GATE_MAX_REQUESTS: '1',
  SERVICE_FLOOD_GATE_WINDOW_SECONDS: '3600',
});

await compareRates([
  { name: 'bare Fastify, 200', server: bare, path: '/bench', status: 200 },
  { name: '429 of the rate limit, public route', server: byLimit, path: '/bench/public', status: 429 },
  { name: '429 of the rate limit, after a token check', server: byLimit, path: '/bench', status: 429 },
  { name: '429 of the rate limit, public route, with a log line', server: logging, path: '/bench/public', status: 429 },
  { name: '429 of the flood gate', server: byGate, path: '/bench/public', status: 429 },
]);
for (const server of [bare, byLimit, logging, byGate]) await server.stop();
