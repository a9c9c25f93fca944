// Fastify with the four things that PRF-3 names and nothing else, as a team has it that installs the packages: bearer
// tokens with sessions on the embedded store, the rate limit, the encryption policy (with the replay guard it asks
// for), and the audit log. No log, no security headers, no request ids of ours.
import { randomBytes } from 'node:crypto';
import createError from '@fastify/error';
import rateLimit from '@fastify/rate-limit';
import { auditLog, createMemorySink } from '@sallyport/audit-log';
import { authTokens, generateSigningKey } from '@sallyport/auth-tokens';
import { envelopeCrypto } from '@sallyport/envelope-crypto';
import { replayGuard } from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { ANSWER, answerSchema } from './answer.mjs';

const UNLIMITED = 1_000_000_000;

const NO_STACK = false;

// As the reference server has it: the error that the rate limit makes by itself notes where it was made, over and over
// again, and that is a fifth of the whole refusal.
const RateLimitedError = createError('RATE_LIMITED', 'Too many requests', 429, Error, NO_STACK);

export async function start({ maxRequests = UNLIMITED } = {}) {
  const app = Fastify();
  const store = createMemoryStore();
  await app.register(auditLog, { sink: createMemorySink() });
  await app.register(authTokens, { store, issuer: 'https://example.com', signingKey: generateSigningKey() });
  // Its hook is one of each route, so it comes behind the token check, and before the encryption policy.
  await app.register(rateLimit, {
    max: maxRequests,
    timeWindow: '1 day',
    errorResponseBuilder: () => new RateLimitedError(),
  });
  await app.register(envelopeCrypto, {
    mode: 'OPTIONAL',
    keyId: 'bench',
    privateKey: randomBytes(32).toString('hex'),
  });
  await app.register(replayGuard, { store });
  const schema = { response: { 200: answerSchema } };
  app.get('/bench', { config: { access: 'admin', audit: false }, schema }, async () => ANSWER);
  app.get('/bench/public', { config: { access: 'public', audit: false }, schema }, async () => ANSWER);
  await app.ready();
  const { token } = await app.authTokens.issue({ subject: 'u-1', audience: 'admin' });
  return { app, headers: { authorization: `Bearer ${token}` } };
}
