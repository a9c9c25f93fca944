/**
 * The benchmarks of the whole pipeline, by requirement. `pnpm run bench` runs them in this order. Each script takes
 * `--quick`, prints its own table, and asserts nothing, because timings vary.
 */
export const benches = [
  { id: 'PRF-3', script: 'guarded-get.mjs', what: 'a GET behind token check, rate limit, policy and audit decision' },
  { id: 'PRF-4', script: 'refusals.mjs', what: '429, by the rate limit and by the flood gate' },
  { id: 'PRF-5', script: 'audited-write.mjs', what: 'a payment, audited and idempotent, on PostgreSQL and Redis' },
  { id: 'PRF-6', script: 'sign-in-storm.mjs', what: 'health while sign-ins saturate the password workers' },
  { id: 'PRF-8', script: 'live-entries.mjs', what: 'memory for each live nonce and session' },
  {
    id: 'PRF-10',
    script: 'peer-stack.mjs',
    what: 'the whole server compared with the stack that users would otherwise build',
  },
  { id: 'PRF-11', script: 'growth.mjs', what: 'cost by size, and a storm of sign-ins' },
  {
    id: 'round-trips',
    script: 'redis-round-trips.mjs',
    what: 'how often a request waits for Redis, and its statements',
  },
];
