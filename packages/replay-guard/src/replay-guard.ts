import { checkOptions, type ReplayGuardOptions } from './options.js';

/** What identifies an opened envelope, and when it came. `request.envelope` of @sallyport/envelope-crypto is one. */
export interface ClaimableEnvelope {
  /** The key that it was sealed for: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
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
   * Records the first use of `(keyId, nonce)`, atomically. True for exactly one of any number of calls; the others, at
   * any time and on any server of the store, get false for as long as the timestamp can be accepted. Call it only after
   * GCM proved the envelope authentic (RPL-1), and act only on true.
   *
   * With a store of lifetime `process` it is false too, without a record, for an envelope stamped more than a second
   * ahead, and true for one stamped less far ahead comes only when the clock has reached the stamp.
   *
   * Rejects when the store can't say: a refusal, never let through.
   */
  claim(envelope: ClaimableEnvelope): Promise<boolean>;
}

/** Wire format, members of the envelope. Neither has a colon: no two pairs share a key. */
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NONCE_BYTES = 16;

/** The key alone is the record; the value costs memory for each nonce. */
const RECORD = '1';

/** How far ahead an envelope may be stamped when the store dies with the process: more than clocks that are kept by NTP are off. */
const MAX_WAIT_MILLIS = 1000;

/** @throws TypeError naming every bad option. */
export function createReplayGuard(options: ReplayGuardOptions): ReplayGuard {
  const { store, replayTtlSeconds, clockSkewSeconds, keyPrefix, wait } = checkOptions(options);
  const forgetsOnRestart = store.lifetime === 'process';

  /** Wire format, step 6. `ts + window − now`: for as long as this server would accept the timestamp. */
  function retentionMillis({ timestamp, receivedAt, timestampWindowSeconds }: ClaimableEnvelope): number {
    const acceptableMillis = timestamp + timestampWindowSeconds * 1000 - receivedAt;
    return Math.ceil(Math.max(replayTtlSeconds * 1000, acceptableMillis)) + clockSkewSeconds * 1000;
  }

  return {
    async claim(envelope) {
      const key = keyPrefix + claimKey(envelope);
      // RPL-3. The next process refuses what is stamped before its start, and knows nothing else of this one. So
      // nothing is accepted before the time of its stamp: whatever was accepted is stamped before the next start.
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
