import { createBoundedCall } from '@sallyport/plugin-kit/deadlines';
import { readOptions } from '@sallyport/plugin-kit/options';
import { type ClaimVerdict, createMarkedClaim, type ReplayGuardState } from './loss/index.js';
import { engineRules, type ReplayGuardOptions, ReplayGuardSetupError, unmarkedFaults } from './options.js';

/** The identity and the times of an opened envelope. `request.envelope` of @sallyport/envelope-crypto is one. */
export interface ClaimableEnvelope {
  /** The id of the key that the envelope was sealed for: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
  readonly keyId: string;
  /** The decoded nonce: 16 bytes. */
  readonly nonce: Uint8Array;
  /** The client's clock, in milliseconds. */
  readonly timestamp: number;
  /** This server's clock when the timestamp was checked, in milliseconds. Unused with a store that has marks. */
  readonly receivedAt: number;
  /** The window of that check, in seconds. */
  readonly timestampWindowSeconds: number;
}

/** The engine, for use without Fastify. */
export interface ReplayGuard {
  /**
   * Records the first use of `(keyId, nonce)`, atomically. True for exactly one of any number of calls. All others, on
   * every server of the store, get false while the timestamp can be accepted. Call it only after GCM proved the
   * envelope authentic, and act only on true.
   *
   * With a shared store that has marks, the store's clock judges the timestamp in the same step, and an
   * envelope that may have been accepted before the store lost data gets false. For the first one stamped more
   * than a second ahead the call takes three seconds, or a round trip to the witness.
   *
   * With a store of lifetime `process` an envelope stamped more than a second ahead gets false, without a record. For
   * one stamped less far ahead the call resolves to true only when the clock has reached the stamp.
   *
   * Rejects if the store gives no answer. Refuse the request then.
   *
   * After true, with a store of lifetime `process` or one without marks, compare the timestamp with the clock again, as
   * the plugin does, and refuse an envelope that is too old by now: if the process was paused before the claim, the
   * record of an earlier use may have expired.
   */
  claim(envelope: ClaimableEnvelope): Promise<boolean>;
  /**
   * Like `claim`, but distinguishes a nonce that was used before (`replayed`) from every other refusal (`refused`): a
   * timestamp outside the window, or a stamp at which envelopes may have been accepted before the store lost data. An
   * honest client may be refused; only a copy is `replayed`.
   */
  judge(envelope: ClaimableEnvelope): Promise<ClaimVerdict>;
  /**
   * Checks whether the store lost data, and shows other servers that it has not. Call it before the first claim and
   * every second, as the plugin does. Does nothing with a store of lifetime `process` or one without marks. Rejects if
   * the store gives no answer.
   *
   * Pass the window of the coming envelopes, in seconds, to save their first claim the round trips that write it to the
   * store.
   */
  watchStore(timestampWindowSeconds?: number): Promise<void>;
  /** Whether envelopes are refused because the store may have lost nonces, for a readiness check. */
  state(): ReplayGuardState;
  /**
   * Envelopes stamped at this time or before get false, for any nonce. In milliseconds since 1970; `-Infinity` if
   * nothing was lost. Give it to the code that opens envelopes, so that it opens none in vain.
   */
  refusedThrough(): number;
}

/** Wire format, members of the envelope. Neither contains a colon, so no two pairs share a key. */
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NONCE_BYTES = 16;

/** Only the key is significant. The value is short because every nonce costs memory. */
const RECORD = '1';

/**
 * How far ahead an envelope may be stamped if the store does not outlive the process. Clocks kept by NTP differ less.
 */
const MAX_WAIT_MILLIS = 1000;

/** A store answers or rejects within two seconds. A store that hangs must not block its clients forever. */
const MAX_ANSWER_MILLIS = 5000;

/** The health of a store that cannot lose data while this process runs. */
const NOTHING_LOST: ReplayGuardState = { isRecovering: false, reason: null, remainingMillis: 0 };

/**
 * The engine, for use without Fastify.
 *
 * @example
 * ```ts
 * let now = Date.now();
 * const guard = createReplayGuard({ store: createMemoryStore({ now: () => now }) });
 * const nonce = randomBytes(16);
 * const timestamp = now;
 * const claim = () => guard.claim({ keyId: 'k1', nonce, timestamp, receivedAt: now, timestampWindowSeconds: 300 });
 *
 * assert.deepEqual(await Promise.all([claim(), claim()]), [true, false]);
 * ```
 *
 * @throws ReplayGuardSetupError with every fault
 */
export function createReplayGuard(options: ReplayGuardOptions): ReplayGuard {
  const read = readOptions<Required<ReplayGuardOptions>>(
    { subject: 'createReplayGuard', SetupError: ReplayGuardSetupError },
    options,
    engineRules,
    unmarkedFaults,
  );
  const { store, keyPrefix } = read;
  const keyOf = (envelope: ClaimableEnvelope) => keyPrefix + claimKey(envelope);
  if (store.lifetime === 'process' || store.marks === undefined) {
    const judge = createPlainClaim(read);
    return {
      claim: async (envelope) => (await judge(keyOf(envelope), envelope)) === 'first',
      judge: async (envelope) => judge(keyOf(envelope), envelope),
      watchStore: async () => {},
      state: () => NOTHING_LOST,
      refusedThrough: () => Number.NEGATIVE_INFINITY,
    };
  }
  const { claim, keeper } = createMarkedClaim({ ...read, marks: store.marks, record: RECORD });
  return {
    claim: async (envelope) => (await claim(keyOf(envelope), envelope)) === 'first',
    judge: async (envelope) => claim(keyOf(envelope), envelope),
    watchStore: keeper.beat,
    state: keeper.state,
    refusedThrough: keeper.floor,
  };
}

/** For a store in this process, or one that is trusted to lose nothing. */
function createPlainClaim({ store, replayTtlSeconds, clockSkewSeconds, wait }: Required<ReplayGuardOptions>) {
  const forgetsOnRestart = store.lifetime === 'process';
  const bounded = createBoundedCall({ timeoutMillis: MAX_ANSWER_MILLIS });

  /** Wire format, step 6: this server accepts the timestamp for another `ts + window − now`. */
  function retentionMillis({ timestamp, receivedAt, timestampWindowSeconds }: ClaimableEnvelope): number {
    const acceptableMillis = timestamp + timestampWindowSeconds * 1000 - receivedAt;
    return Math.ceil(Math.max(replayTtlSeconds * 1000, acceptableMillis)) + clockSkewSeconds * 1000;
  }

  return async function judge(key: string, envelope: ClaimableEnvelope): Promise<ClaimVerdict> {
    // RPL-3. The next process remembers nothing, and refuses envelopes stamped before its start. Therefore this process
    // accepts no envelope before the time of its stamp: every accepted envelope is stamped before the next start.
    const aheadMillis = forgetsOnRestart ? envelope.timestamp - envelope.receivedAt : 0;
    if (aheadMillis > MAX_WAIT_MILLIS) return 'refused';
    const ask = () => store.setIfAbsent(key, RECORD, retentionMillis(envelope));
    const isFirst: unknown = await (forgetsOnRestart ? ask() : bounded(ask));
    // RPL-1: a database's own answer, such as 'OK' or { changes: 0 }, would accept every copy, or refuse every
    // envelope.
    if (typeof isFirst !== 'boolean')
      throw new TypeError('setIfAbsent of the nonce store answered neither true nor false');
    if (isFirst && aheadMillis > 0) await wait(aheadMillis);
    return isFirst ? 'first' : 'replayed';
  };
}

function claimKey({ keyId, nonce }: ClaimableEnvelope): string {
  if (!KEY_ID.test(keyId)) throw new TypeError('keyId must have 1 to 64 characters of A-Z a-z 0-9 . _ -');
  if (nonce.length !== NONCE_BYTES) throw new TypeError(`nonce must have ${NONCE_BYTES} bytes`);
  return `${keyId}:${Buffer.from(nonce.buffer, nonce.byteOffset, nonce.byteLength).toString('base64url')}`;
}
