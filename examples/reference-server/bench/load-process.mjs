// Loads a server with autocannon in a separate process, so that the two do not share CPU time.
import { randomInt, randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { answerParent } from './child-process.mjs';

/** Ways to make each request unique. */
const variants = {
  /** Each sign-in has a unique name and address, so that none is locked. */
  'sign-in': (request) => ({
    ...request,
    headers: { ...request.headers, 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` },
    body: JSON.stringify({ username: randomUUID(), password: 'f'.repeat(64), terminal: 'web' }),
  }),
};

answerParent({
  async run({ variant, ...options }) {
    const setupRequest = variants[variant];
    const requests = setupRequest === undefined ? [{}] : [{ setupRequest }];
    const { latency, duration, statusCodeStats, errors, timeouts } = await autocannon({ ...options, requests });
    const answers = Object.entries(statusCodeStats).map(([status, { count }]) => [status, count]);
    const total = answers.reduce((sum, [, count]) => sum + count, 0);
    return {
      perSecond: total / duration,
      total,
      statuses: Object.fromEntries(answers),
      p50: latency.p50,
      p99: latency.p99,
      failed: errors + timeouts,
    };
  },
});
