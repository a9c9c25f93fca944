// Fastify with only the four features that PRF-3 names, as an application that installs the packages would have them:
// bearer tokens with sessions on the embedded store, the rate limit, the encryption policy (with the replay guard it
// requires), and the audit log. No log, security headers or request ids.
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

// As in the reference server: the rate limit's default error captures a stack trace, which is a fifth of the cost of a
// refusal.
const RateLimitedError = createError('RATE_LIMITED', 'Too many requests', 429, Error, NO_STACK);

export async function start({ maxRequests = UNLIMITED } = {}) {
  const app = Fastify();
  const store = createMemoryStore();
  await app.register(auditLog, { sink: createMemorySink() });
  await app.register(authTokens, { store, issuer: 'https://example.com', signingKey: generateSigningKey() });
  // The rate limit adds its hook per route, so it runs after the token check and before the encryption policy.
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
