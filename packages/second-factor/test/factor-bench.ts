import { randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { stepAt, totpCode } from '../src/codes/totp.js';
import {
  createMemoryFactorRecords,
  createSecondFactors,
  type FactorRecord,
  type FactorRefusedEvent,
  type SecondFactorsOptions,
} from '../src/index.js';

export const KEY = { id: 'k1', secret: randomBytes(32) };

/** An account that no other test uses. */
export const freshPrincipal = (() => {
  let last = 0;
  return () => `account-${++last}`;
})();

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, by its definition. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** An authenticator app: it knows the secret and has a clock of its own. */
export function authenticatorOf(secret: string, algorithm: 'SHA1' | 'SHA256' | 'SHA512' = 'SHA1') {
  return (timeMillis: number) => totpCode(fromBase32(secret), stepAt(timeMillis), algorithm);
}

/** An engine with a clock that tests move, whose events they read. */
export function testFactors(more: Partial<SecondFactorsOptions> = {}) {
  let time = 1_700_000_000_000;
  const now = () => time;
  const events: FactorRefusedEvent[] = [];
  const records = more.records ?? createMemoryFactorRecords();
  const settings = {
    store: createMemoryStore({ now }),
    records,
    key: KEY,
    issuer: 'Shop',
    onEvent: (event: FactorRefusedEvent) => void events.push(event),
    now,
    ...more,
  };
  const factors = createSecondFactors(settings);

  /** An account with TOTP, whose first code was used a minute ago. */
  async function enrolled(principal = freshPrincipal()) {
    const { id, secret, uri } = await factors.beginTotp({ principal, account: 'ada' });
    const codeAt = authenticatorOf(secret, more.algorithm);
    if ((await factors.confirmTotp({ principal, id, code: codeAt(now()) })) === null) throw new Error('not confirmed');
    time += 60_000;
    return { principal, id, secret, uri, codeAt };
  }

  return {
    factors,
    records,
    store: settings.store,
    events,
    now,
    enrolled,
    pass: (seconds: number) => {
      time += seconds * 1000;
    },
    /** Another node: the same records, and what is different. */
    another: (other: Partial<SecondFactorsOptions> = {}) => createSecondFactors({ ...settings, ...other }),
    reasons: () => events.splice(0).map(({ reason }) => reason),
    read: async (principal: string) => (await records.read(principal)) as FactorRecord,
  };
}

/** Another code of six digits. */
export const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
