import {
  EnvelopeExpiredOrReplayedError,
  EnvelopeReplayStoreUnavailableError,
  type OpenedEnvelope,
} from '@sallyport/envelope-crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { checkOptions, type ReplayGuardPluginOptions } from './options.js';
import { createReplayGuard, type ReplayGuard } from './replay-guard.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The engine behind the hook `guardReplay`. */
    readonly replayGuard: ReplayGuard;
  }
}

async function replayGuardPlugin(fastify: FastifyInstance, given: ReplayGuardPluginOptions): Promise<void> {
  const options = checkOptions(given);
  const guard = createReplayGuard(options);
  fastify.decorate('replayGuard', guard);

  if (options.store.lifetime === 'process') fastify.envelopeCrypto.refuseStampedBefore(options.now());
  warnOfLiftedTtl(fastify, options.replayTtlSeconds);

  // Last of the steps: the envelope is open, GCM has proved it, and nobody has seen its plaintext yet.
  fastify.addHook('preValidation', function guardReplay({ envelope }: FastifyRequest, _reply, done) {
    // No promise, which Fastify would await, for the requests in the clear.
    return envelope?.state === 'opened' ? claimOnce(envelope) : done();
  });

  async function claimOnce(envelope: OpenedEnvelope): Promise<void> {
    let isFirst: boolean;
    try {
      isFirst = await guard.claim(envelope);
    } catch (cause) {
      throw new EnvelopeReplayStoreUnavailableError({ cause });
    }
    if (!isFirst) throw new EnvelopeExpiredOrReplayedError(envelope.receivedAt);
    envelope.markClaimed();
  }
}

/** RPL-2: harmless, but whoever set it so believes that nonces are forgotten sooner. */
function warnOfLiftedTtl({ envelopeCrypto, log }: FastifyInstance, replayTtlSeconds: number): void {
  const { mode, timestampWindowSeconds } = envelopeCrypto;
  if (mode === 'OFF' || replayTtlSeconds >= timestampWindowSeconds) return;
  log.warn(
    { replayTtlSeconds, timestampWindowSeconds },
    'replayTtlSeconds is below the timestamp window: nonces are remembered for as long as their timestamps are accepted',
  );
}

/** Refuses the second use of an encrypted envelope. Register it after @sallyport/envelope-crypto. */
export const replayGuard = fp(replayGuardPlugin, {
  fastify: '5.x',
  name: '@sallyport/replay-guard',
  dependencies: ['@sallyport/envelope-crypto'],
  decorators: { fastify: ['envelopeCrypto'], request: ['envelope'] },
});
