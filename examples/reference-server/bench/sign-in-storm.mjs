// `pnpm run bench PRF-6`: measures the time of a health check while sign-ins keep every password worker busy at the
// production BCrypt cost, compared with the same server at rest and bare Fastify. Sign-ins beyond the queue get 503.
import { startChild } from './child-process.mjs';
import { isQuick, median, ROUNDS, startServer } from './servers-in-turn.mjs';

/**
 * Several times the rate that the workers can hash, so that they are always busy, but few enough that parsing the
 * requests takes negligible time.
 */
const SIGN_INS = { connections: 32, overallRate: 20 };
const HEALTH = { connections: 2, overallRate: 100 };
const SECONDS = isQuick ? 3 : 10;

const bare = await startServer('bare');
const guarded = await startServer('guarded', {
  SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
  SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
  SERVICE_TRUSTED_PROXIES: '127.0.0.1',
});
const [signIns, checks] = [await startChild('./load-process.mjs'), await startChild('./load-process.mjs')];

async function healthOf({ url }) {
  const run = await checks.ask({ kind: 'run', url: `${url}/actuator/health`, duration: SECONDS, ...HEALTH });
  if (run.failed > 0 || run.total === 0) throw new Error(`health did not answer: ${JSON.stringify(run)}`);
  return run;
}

const storm = (seconds) =>
  signIns.ask({
    kind: 'run',
    url: `${guarded.url}/admin/auth/login`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    variant: 'sign-in',
    duration: seconds,
    ...SIGN_INS,
  });

// The first answers of a process run unoptimised code.
for (const { url } of [bare, guarded]) {
  await checks.ask({ kind: 'run', url: `${url}/actuator/health`, connections: 2, amount: 1000, duration: 60 });
}
// Measure at rest first, because the workers' queue takes seconds to drain after a storm.
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  rounds.push({ atRest: await healthOf(guarded), ofBare: await healthOf(bare) });
}
for (const round of rounds) {
  const [inStorm, { statuses }] = await Promise.all([healthOf(guarded), storm(SECONDS + 1)]);
  Object.assign(round, { inStorm, statuses });
}
for (const [name, title] of [
  ['ofBare', 'bare Fastify at rest'],
  ['atRest', 'health at rest'],
  ['inStorm', 'health while sign-ins saturate the password workers'],
]) {
  const of = (member) => median(rounds.map((round) => round[name][member]));
  process.stdout.write(
    `${title.padEnd(58)}p50 ${String(of('p50')).padStart(4)} ms   p99 ${String(of('p99')).padStart(4)} ms\n`,
  );
}
const counts = rounds.map(({ statuses }) => JSON.stringify(statuses)).join(' ');
process.stdout.write(`sign-ins in each round, by status: ${counts}\n`);
await Promise.all([signIns.end(), checks.end(), bare.stop(), guarded.stop()]);
