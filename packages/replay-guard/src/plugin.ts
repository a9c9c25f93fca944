import {
  EnvelopeExpiredOrReplayedError,
  EnvelopeReplayStoreUnavailableError,
  type OpenedEnvelope,
} from '@sallyport/envelope-crypto';
import { readOptions } from '@sallyport/plugin-kit/options';
import { requireFreeNames } from '@sallyport/plugin-kit/routes';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { createClockWatch } from './clock-watch.js';
import type { ClaimVerdict, ReplayGuardEvent } from './loss/index.js';
import { pluginRules, type ReplayGuardPluginOptions, ReplayGuardSetupError, unmarkedFaults } from './options.js';
import { createReplayGuard, type ReplayGuard } from './replay-guard.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The engine behind the hook `guardReplay`. */
    readonly replayGuard: ReplayGuard;
  }
}

/** The interval at which the mark of the store is read. `loss/nonce-marks.ts` relies on it. */
const BEAT_MILLIS = 1000;

/**
 * After this time, stamps up to a second ahead that other processes may have accepted are past. It includes some
 * milliseconds for the drift of the clocks. Envelopes further ahead are refused for longer.
 */
const MAX_START_DELAY_MILLIS = 1020;

async function replayGuardPlugin(fastify: FastifyInstance, given: ReplayGuardPluginOptions): Promise<void> {
  const { now, ...options } = readOptions<Required<ReplayGuardPluginOptions>>(
    { subject: 'replay-guard', SetupError: ReplayGuardSetupError, isPlugin: true },
    given,
    pluginRules,
    unmarkedFaults,
  );
  requireEnvelopeCrypto(fastify);
  requireFreeNames(
    fastify,
    { subject: 'replay-guard', SetupError: ReplayGuardSetupError },
    { fastify: ['replayGuard'] },
  );
  const onEvent = (event: ReplayGuardEvent) => {
    logEvent(fastify, event);
    options.onEvent(event);
  };
  const guard = createReplayGuard({ ...options, onEvent });
  fastify.decorate('replayGuard', guard);

  const isJudgedByStore = options.store.lifetime === 'shared' && options.store.marks !== undefined;
  const isInProcess = options.store.lifetime === 'process';
  const losses = 'another process has not seen its nonces, so that each accepts an envelope once';
  warnOfMemoryStore({ subject: 'replay-guard', store: options.store, losses }, fastify.log);
  if (isInProcess) fastify.envelopeCrypto.refuseStampedBefore(now());
  else if (!isJudgedByStore) fastify.log.warn('the nonce store has no marks: if it loses nonces, replays are accepted');
  warnOfShortTtl(fastify, options.replayTtlSeconds);
  const { monotonic } = options;
  const skewMillis = options.clockSkewSeconds * 1000;
  const readClock = createClockWatch({ now, monotonic, allowedMillis: skewMillis });
  // A record lives until this long after the stamp of its envelope, or longer.
  const keptMillis = fastify.envelopeCrypto.timestampWindowSeconds * 1000 + skewMillis;
  let refusedBefore = Number.NEGATIVE_INFINITY;
  if (fastify.envelopeCrypto.mode !== 'OFF') watch(fastify);

  // The envelope is open and its tag is verified, but its plaintext is not delivered yet.
  fastify.addHook('preValidation', function guardReplay({ envelope }: FastifyRequest, _reply, done) {
    // Plaintext requests get no promise, because Fastify would await it.
    return envelope?.state === 'opened' ? claimOnce(envelope) : done();
  });

  function watch(app: FastifyInstance): void {
    let isBeating = false;

    async function beat(): Promise<void> {
      noteClock();
      if (isBeating) return;
      isBeating = true;
      // While the store does not answer, claims are refused as well. The store is asked again a second later.
      const { timestampWindowSeconds } = app.envelopeCrypto;
      await guard
        .watchStore(timestampWindowSeconds)
        .catch((error) => app.log.debug(error, 'the nonce store gave no answer'));
      refuseWhatMayBeLost();
      isBeating = false;
    }

    let timer: NodeJS.Timeout | undefined;
    app.addHook('onReady', async function watchNonceStore() {
      await beat();
      // By then, stamps that other processes accepted before this one started are past. Clients need not know of it.
      const { remainingMillis } = guard.state();
      if (remainingMillis > 0) await options.wait(Math.min(remainingMillis + 10, MAX_START_DELAY_MILLIS));
      timer = setInterval(() => void beat(), BEAT_MILLIS);
      timer.unref();
    });
    app.addHook('onClose', async function endWatch() {
      clearInterval(timer);
    });
  }

  /** RPL-3: the records of a memory store may have expired by a clock that was ahead. */
  function noteClock(): void {
    const { time, latestTime, stepMillis } = readClock();
    if (stepMillis !== 0) onEvent({ kind: 'wall-clock-step', stepMillis });
    if (!isInProcess) return;
    const before = refusedBefore;
    // Records of stamps up to this one may have expired. A clock that is set back does not bring them back, so the
    // bound only rises. While the clock is never set, these stamps are older than the window.
    const expiredThrough = latestTime - keptMillis;
    refusedBefore = Math.max(refusedBefore, expiredThrough + 1, stepMillis < 0 ? time : Number.NEGATIVE_INFINITY);
    fastify.envelopeCrypto.refuseStampedBefore(refusedBefore);
    const refusedMillis = refusedBefore - time;
    if (refusedBefore > before && refusedMillis > 0)
      fastify.log.error({ refusedMillis }, 'a clock was ahead: no envelope is accepted until it would show that again');
  }

  /**
   * RPL-3: whether a memory store keeps the record for as long as the stamp is accepted. The clock may have been set
   * back since the last beat, or since the stamp was checked: the record would then expire too early.
   */
  function isRemembered({ timestamp, receivedAt }: OpenedEnvelope): boolean {
    if (!isInProcess) return true;
    noteClock();
    return timestamp >= refusedBefore && receivedAt - now() <= skewMillis;
  }

  /** RPL-6, ORD-6: an envelope that the claim would refuse is not opened. */
  function refuseWhatMayBeLost(): void {
    const through = guard.refusedThrough();
    if (Number.isFinite(through)) fastify.envelopeCrypto.refuseStampedBefore(through + 1);
  }

  /** Clients set their clocks by it, so it has the time by which the service judges, not that of this process. */
  function expiredOrReplayed(): Error {
    return new EnvelopeExpiredOrReplayedError(fastify.envelopeCrypto.bootstrap().serverTime);
  }

  async function claimOnce(envelope: OpenedEnvelope): Promise<void> {
    if (!isRemembered(envelope)) throw expiredOrReplayed();
    let verdict: ClaimVerdict;
    try {
      // A memory store counts from now, so that a clock that was set back since the check shortens no record.
      verdict = await guard.judge(
        isInProcess ? { ...envelope, receivedAt: Math.min(envelope.receivedAt, now()) } : envelope,
      );
    } catch (cause) {
      throw new EnvelopeReplayStoreUnavailableError({ cause });
    }
    const claimedAt = now();
    const isLate = !isJudgedByStore && !isInTime(envelope, claimedAt);
    if (verdict === 'replayed') envelope.markReplayed();
    if (verdict === 'refused') refuseWhatMayBeLost();
    if (verdict !== 'first' || isLate) throw expiredOrReplayed();
    envelope.markClaimed();
  }
}

/** RPL-6, RPL-7: the operator learns why envelopes are refused. */
function logEvent({ log }: FastifyInstance, event: ReplayGuardEvent): void {
  if (event.kind === 'loss') log.error(event, 'the nonce store may have lost nonces: earlier envelopes are refused');
  else if (event.kind === 'recovered') log.info(event, 'every envelope in time is accepted again');
  else log.warn(event, 'a clock was set');
}

/**
 * RPL-1: outside that scope, envelopes could be sent again. Fastify's own check would name a decorator. Requirement
 * ADP-2.
 */
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

/** RPL-2: a short TTL is harmless. Nonces are remembered for longer than its value. */
function warnOfShortTtl({ envelopeCrypto, log }: FastifyInstance, replayTtlSeconds: number): void {
  const { mode, timestampWindowSeconds } = envelopeCrypto;
  if (mode === 'OFF' || replayTtlSeconds >= timestampWindowSeconds) return;
  log.warn(
    { replayTtlSeconds, timestampWindowSeconds },
    'replayTtlSeconds is below the timestamp window: nonces are remembered while their timestamps are accepted',
  );
}

/**
 * Refuses the second use of an encrypted envelope. Register it after @sallyport/envelope-crypto.
 *
 * @example
 * ```ts
 * // In production the key comes from the environment and stays the same: openssl rand -hex 32
 * const privateKey = process.env.PRIVATE_KEY ?? randomBytes(32).toString('hex');
 * await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: '2026-11', privateKey });
 * await app.register(replayGuard, { store: createMemoryStore() });
 * await app.register(publicKeyRoute);
 *
 * app.post('/payments', async (request) => ({ data: request.body }));
 * ```
 */
export const replayGuard = fp(replayGuardPlugin, {
  fastify: '5.x',
  // `dependencies` and `decorators` are left out, because Fastify's errors for them don't say what to do.
  name: '@sallyport/replay-guard',
});
