import {
  EnvelopeExpiredOrReplayedError,
  EnvelopeReplayStoreUnavailableError,
  type OpenedEnvelope,
} from '@sallyport/envelope-crypto';
import { readOptions } from '@sallyport/options';
import { requireFreeNames } from '@sallyport/route-coverage';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { pluginRules, type ReplayGuardPluginOptions, ReplayGuardSetupError } from './options.js';
import { createReplayGuard, type ReplayGuard } from './replay-guard.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The engine behind the hook `guardReplay`. */
    readonly replayGuard: ReplayGuard;
  }
}

async function replayGuardPlugin(fastify: FastifyInstance, given: ReplayGuardPluginOptions): Promise<void> {
  const { now, ...options } = readOptions<Required<ReplayGuardPluginOptions>>(
    { subject: 'replay-guard', SetupError: ReplayGuardSetupError, isPlugin: true },
    given,
    pluginRules,
  );
  requireEnvelopeCrypto(fastify);
  requireFreeNames(
    fastify,
    { subject: 'replay-guard', SetupError: ReplayGuardSetupError },
    { fastify: ['replayGuard'] },
  );
  const guard = createReplayGuard(options);
  fastify.decorate('replayGuard', guard);

  if (options.store.lifetime === 'process') fastify.envelopeCrypto.refuseStampedBefore(now());
  warnOfShortTtl(fastify, options.replayTtlSeconds);

  // The envelope is open and its tag verified, and its plaintext not delivered yet.
  fastify.addHook('preValidation', function guardReplay({ envelope }: FastifyRequest, _reply, done) {
    // Plaintext requests get no promise, which Fastify would await.
    return envelope?.state === 'opened' ? claimOnce(envelope) : done();
  });

  async function claimOnce(envelope: OpenedEnvelope): Promise<void> {
    let isFirst: boolean;
    try {
      isFirst = await guard.claim(envelope);
    } catch (cause) {
      throw new EnvelopeReplayStoreUnavailableError({ cause });
    }
    const claimedAt = now();
    if (!isFirst || !isInTime(envelope, claimedAt)) throw new EnvelopeExpiredOrReplayedError(claimedAt);
    envelope.markClaimed();
  }
}

/** RPL-1: elsewhere, envelopes could be sent again. Fastify's own check would name a decorator. Requirement ADP-2. */
function requireEnvelopeCrypto(fastify: FastifyInstance): void {
  if (Object.hasOwn(fastify, 'envelopeCrypto')) return;
  throw new ReplayGuardSetupError('replay-guard', [
    'register @sallyport/envelope-crypto before it, in the same scope: elsewhere, envelopes could be sent again. A ' +
      'plugin file that registers one of them is wrapped in fastify-plugin. @fastify/autoload goes by the names of ' +
      "files: register both in one file, or give fastify-plugin's `dependencies` in the file of this one",
  ]);
}

/**
 * RPL-2: a nonce is remembered while its timestamp is accepted. A process that was paused after it had checked the
 * timestamp may ask the store later than that, when the record of an earlier use has expired.
 */
function isInTime({ timestamp, timestampWindowSeconds }: OpenedEnvelope, claimedAt: number): boolean {
  return claimedAt - timestamp <= timestampWindowSeconds * 1000;
}

/** RPL-2: a short TTL is harmless, but nonces are remembered for longer than it says. */
function warnOfShortTtl({ envelopeCrypto, log }: FastifyInstance, replayTtlSeconds: number): void {
  const { mode, timestampWindowSeconds } = envelopeCrypto;
  if (mode === 'OFF' || replayTtlSeconds >= timestampWindowSeconds) return;
  log.warn(
    { replayTtlSeconds, timestampWindowSeconds },
    'replayTtlSeconds is below the timestamp window: nonces are remembered while their timestamps are accepted',
  );
}

/** Refuses the second use of an encrypted envelope. Register it after @sallyport/envelope-crypto. */
export const replayGuard = fp(replayGuardPlugin, {
  fastify: '5.x',
  // No `dependencies` and `decorators`: Fastify's errors for them don't say what to do.
  name: '@sallyport/replay-guard',
});
