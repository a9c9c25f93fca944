import { readOptions } from '@sallyport/options';
import { engineRules, type ReplayGuardOptions, ReplayGuardSetupError } from './options.js';

/** The identity and the times of an opened envelope. `request.envelope` of @sallyport/envelope-crypto is one. */
export interface ClaimableEnvelope {
  /** The key that it was sealed for: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. */
  readonly keyId: string;
  /** The decoded nonce: 16 bytes. */
  readonly nonce: Uint8Array;
  /** The client's clock, in milliseconds. */
  readonly timestamp: number;
  /** This server's clock when the timestamp was checked, in milliseconds. */
  readonly receivedAt: number;
  /** The window of that check, in seconds. */
  readonly timestampWindowSeconds: number;
}

/** The engine, for use without Fastify. */
export interface ReplayGuard {
  /**
   * Records the first use of `(keyId, nonce)`, atomically. True for exactly one of any number of calls. All others, on
   * every server of the store, get false while the timestamp can be accepted. Call it only after GCM proved the
   * envelope authentic (RPL-1), and act only on true.
   *
   * With a store of lifetime `process` an envelope stamped more than a second ahead gets false, without a record. For
   * one stamped less far ahead the call resolves to true only when the clock has reached the stamp.
   *
   * Rejects if the store gives no answer. Refuse the request then.
   *
   * After true, compare the timestamp with the clock again, as the plugin does, and refuse an envelope that is too old
   * by now: if the process was paused before the claim, the record of an earlier use may have expired (RPL-2).
   */
  claim(envelope: ClaimableEnvelope): Promise<boolean>;
}

/** Wire format, members of the envelope. Neither contains a colon, so no two pairs share a key. */
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NONCE_BYTES = 16;

/** Only the key matters. The value is short because every nonce costs memory. */
const RECORD = '1';

/**
 * How far ahead an envelope may be stamped if the store does not outlive the process. Clocks kept by NTP differ less.
 */
const MAX_WAIT_MILLIS = 1000;

/** @throws ReplayGuardSetupError with every fault */
export function createReplayGuard(options: ReplayGuardOptions): ReplayGuard {
  const { store, replayTtlSeconds, clockSkewSeconds, keyPrefix, wait } = readOptions<Required<ReplayGuardOptions>>(
    { subject: 'createReplayGuard', SetupError: ReplayGuardSetupError },
    options,
    engineRules,
  );
  const forgetsOnRestart = store.lifetime === 'process';

  /** Wire format, step 6: `ts + window − now` is the time that this server would accept the timestamp. */
  function retentionMillis({ timestamp, receivedAt, timestampWindowSeconds }: ClaimableEnvelope): number {
    const acceptableMillis = timestamp + timestampWindowSeconds * 1000 - receivedAt;
    return Math.ceil(Math.max(replayTtlSeconds * 1000, acceptableMillis)) + clockSkewSeconds * 1000;
  }

  return {
    async claim(envelope) {
      const key = keyPrefix + claimKey(envelope);
      // RPL-3. The next process remembers nothing, and refuses envelopes stamped before its start. So this one accepts
      // no envelope before the time of its stamp: every accepted envelope is stamped before the next start.
      const aheadMillis = forgetsOnRestart ? envelope.timestamp - envelope.receivedAt : 0;
      if (aheadMillis > MAX_WAIT_MILLIS) return false;
      const isFirst = await store.setIfAbsent(key, RECORD, retentionMillis(envelope));
      if (isFirst && aheadMillis > 0) await wait(aheadMillis);
      return isFirst;
    },
  };
}

function claimKey({ keyId, nonce }: ClaimableEnvelope): string {
  if (!KEY_ID.test(keyId)) throw new TypeError('keyId must have 1 to 64 characters of A-Z a-z 0-9 . _ -');
  if (nonce.length !== NONCE_BYTES) throw new TypeError(`nonce must have ${NONCE_BYTES} bytes`);
  return `${keyId}:${Buffer.from(nonce.buffer, nonce.byteOffset, nonce.byteLength).toString('base64url')}`;
}
