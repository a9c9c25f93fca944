import { randomBytes } from 'node:crypto';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import replayGuard, { type ReplayGuardPluginOptions } from '../src/index.js';
import { type Recipient, recipientOf } from './sealed-request.js';

/** One key for all servers of a test file, as in a deployment. */
const privateKey = randomBytes(32).toString('hex');

export interface ProtectedApp {
  readonly app: FastifyInstance;
  readonly recipient: Recipient;
  /** The bodies that the handlers got, in order. */
  readonly handled: unknown[];
  /** The errors of requests, as an error handler sees them. */
  readonly refusals: unknown[];
  /** What they see of the envelopes. */
  readonly refusedStates: unknown[];
}

/** A server for encrypted requests only, with one route that works and one that fails. */
export async function createProtectedApp(
  options: ReplayGuardPluginOptions,
  {
    timestampWindowSeconds = 300,
    plugin = replayGuard,
    now = options.now,
    ...settings
  }: FastifyServerOptions & {
    timestampWindowSeconds?: number;
    plugin?: typeof replayGuard;
    /** The clock of the envelopes. Default: that of the guard. */
    now?: (() => number) | undefined;
  } = {},
): Promise<ProtectedApp> {
  const app = Fastify(settings);
  onTestFinished(() => app.close());
  const handled: unknown[] = [];
  const refusals: unknown[] = [];
  const refusedStates: unknown[] = [];
  app.addHook('onError', async ({ envelope }, _reply, error) => {
    refusals.push(error);
    refusedStates.push(envelope?.state ?? 'not opened');
  });
  app.setErrorHandler<FastifyError & { serverTime?: number }>(async (error, _request, reply) => {
    const { statusCode = 500, code, message, serverTime } = error;
    return reply.code(statusCode).send({ statusCode, code, message, serverTime });
  });
  await app.register(envelopeCrypto, {
    mode: 'REQUIRED',
    keyId: '2026-11',
    privateKey,
    timestampWindowSeconds,
    ...(now !== undefined && { now }),
  });
  await app.register(plugin, options);
  await app.register(publicKeyRoute);
  app.post('/payments', async (request) => {
    handled.push(request.body);
    return { data: 'done' };
  });
  app.post('/fails', async (request) => {
    handled.push(request.body);
    throw new Error('The handler failed');
  });
  app.get('/payments', async () => ({ data: handled.length }));
  await app.ready();
  return { app, handled, refusals, refusedStates, recipient: recipientOf(app.envelopeCrypto) };
}

/** Counts the answers by outcome. */
export function tally(answers: readonly { statusCode: number; json(): { code?: string } }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const name = answer.statusCode === 200 ? 'accepted' : (answer.json().code ?? String(answer.statusCode));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
