import { randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryFactorRecords, SecondFactorSetupError } from '../../src/index.js';
import { createPasskeys, type PasskeysOptions } from '../../src/passkeys/index.js';
import { freshPrincipal } from '../factor-bench.js';
import { SITE, testPasskeys } from './passkey-bench.js';
import { cborBytes, cborText, createSoftwareAuthenticator, type Ways } from './software-authenticator.js';

/** How a page or an authenticator may be wrong, and the reason that the event has. */
const wrong: readonly (readonly [what: string, ways: Ways, reason: string])[] = [
  ['another origin', { origin: 'https://admin.example.com.evil.example' }, 'wrong'],
  ['a sibling of the origin', { origin: 'https://shop.example.com' }, 'wrong'],
  ['the origin without TLS', { origin: 'http://admin.example.com' }, 'wrong'],
  ['another relying party', { rpId: 'evil.example' }, 'wrong'],
  ['no user verification', { isVerified: false }, 'wrong'],
  ['no user presence', { isPresent: false }, 'wrong'],
  ['the other ceremony', { type: 'payment.get' }, 'wrong'],
  ['a framed page', { crossOrigin: true }, 'wrong'],
  ['a challenge of its own', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }, 'expired'],
];

describe('an answer', () => {
  it('MFA-1: of the right page and a verified user is accepted, and kept with what it says of backups', async () => {
    const { enrolled, factors, events, now, pass } = testPasskeys();
    const { principal, authenticator, answer, ask, options } = await enrolled({ isBackupEligible: true });
    expect(options).toMatchObject({
      attestation: 'none',
      rp: { id: 'example.com', name: 'Shop' },
      authenticatorSelection: { userVerification: 'required' },
    });
    expect(await ask()).toMatchObject({
      userVerification: 'required',
      rpId: 'example.com',
      allowCredentials: [{ id: authenticator.id, transports: ['internal'] }],
    });
    pass(60);
    const backed = { isBackupEligible: true, isBackedUp: true };
    expect(await answer(backed)).toEqual({ factorId: authenticator.id, kind: 'passkey', ...backed });
    expect(await factors.list(principal)).toEqual([
      {
        id: authenticator.id,
        kind: 'passkey',
        name: null,
        createdAt: now() - 60_000,
        lastUsedAt: now(),
        isBackedUp: true,
      },
    ]);
    expect(events).toEqual([]);
  });

  it.each(wrong)('MFA-1: with %s is refused', async (_what, ways, reason) => {
    const { enrolled, reasons } = testPasskeys();
    const { answer } = await enrolled();
    expect(await answer(ways)).toBeNull();
    expect(reasons()).toEqual([reason]);
    expect(await answer()).not.toBeNull();
  });

  // A library that verified them would fetch the lists of revoked certificates that the statement names.
  it.each(['android-key', 'android-safetynet', 'apple', 'fido-u2f', 'packed', 'tpm', 'none'])(
    'MFA-1: that registers with an attestation nobody asked for counts as one without, and none is read: %s',
    async (format) => {
      const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('nothing may be fetched'));
      const { register } = testPasskeys();
      const statement = Buffer.concat([
        Buffer.from([0xa1]),
        cborText('x5c'),
        Buffer.from([0x81]),
        cborBytes(randomBytes(99)),
      ]);
      const { summary, authenticator } = await register(freshPrincipal(), { attestation: { format, statement } });
      expect(summary).toMatchObject({ id: authenticator.id, kind: 'passkey' });
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
    },
  );

  it('MFA-1: whose attestation cannot be read is refused', async () => {
    const { passkeys, reasons } = testPasskeys();
    const principal = freshPrincipal();
    for (const attestationObject of ['', '!', 'oA', '_____w', 7 as never, { length: 9e15 } as never]) {
      const options = await passkeys.beginRegistration({ principal, account: 'ada' });
      const answer = createSoftwareAuthenticator(SITE).create(options);
      const response = { ...answer, response: { ...answer.response, attestationObject } };
      expect(await passkeys.finishRegistration({ principal, response })).toBeNull();
    }
    expect(new Set(reasons())).toEqual(new Set(['wrong']));
  });

  it.each(wrong)('MFA-1: that registers with %s is refused, and keeps nothing', async (_what, ways, reason) => {
    const { register, factors, reasons } = testPasskeys();
    const principal = freshPrincipal();
    expect((await register(principal, ways)).summary).toBeNull();
    expect(reasons()).toEqual([reason]);
    expect(await factors.list(principal)).toEqual([]);
  });

  it('MFA-1: to a used challenge is refused, and of 100 parallel ones one is accepted', async () => {
    const { passkeys, enrolled, reasons } = testPasskeys();
    const { principal, authenticator, ask } = await enrolled();
    const response = authenticator.get(await ask());
    const proof = { principal, purpose: 'sign-in', response };
    const results = await Promise.all(Array.from({ length: 100 }, () => passkeys.finishAuthentication(proof)));
    expect(results.filter((result) => result !== null)).toHaveLength(1);
    expect(await passkeys.finishAuthentication(proof)).toBeNull();
    expect(new Set(reasons())).toEqual(new Set(['expired']));
    // A wrong answer uses it up too.
    const asked = await ask();
    const bad = authenticator.get(asked, { isVerified: false });
    expect(await passkeys.finishAuthentication({ ...proof, response: bad })).toBeNull();
    expect(await passkeys.finishAuthentication({ ...proof, response: authenticator.get(asked) })).toBeNull();
    expect(reasons()).toEqual(['wrong', 'expired']);
  });

  it('MFA-1: to a challenge of another purpose, account or time is refused', async () => {
    const { passkeys, enrolled, reasons, pass } = testPasskeys();
    const { principal, authenticator, answer, ask } = await enrolled();
    const other = await enrolled();
    expect(await answer({}, 'step-up')).toBeNull();
    const proof = { principal, purpose: 'sign-in' };
    expect(
      await passkeys.finishAuthentication({ ...proof, response: authenticator.get(await other.ask()) }),
    ).toBeNull();
    const late = authenticator.get(await ask());
    pass(300);
    expect(await passkeys.finishAuthentication({ ...proof, response: late })).toBeNull();
    const { challenge } = await passkeys.beginRegistration({ principal, account: 'ada' });
    expect(await passkeys.finishAuthentication({ ...proof, response: authenticator.get({ challenge }) })).toBeNull();
    expect(reasons()).toEqual(['expired', 'expired', 'expired', 'expired']);
    // The passkey of another account answers a challenge of this one.
    expect(
      await passkeys.finishAuthentication({ ...proof, response: other.authenticator.get(await ask()) }),
    ).toBeNull();
    expect(reasons()).toEqual(['not-enrolled']);
  });

  it('MFA-1: by a copy of the passkey is refused and reported, because its counter does not grow', async () => {
    const { enrolled, events, factors } = testPasskeys();
    const { principal, authenticator, answer } = await enrolled({ counter: 5 });
    expect(await answer({ counter: 6 })).not.toBeNull();
    for (const counter of [6, 5, 0]) {
      expect(await answer({ counter })).toBeNull();
      expect(events.splice(0)).toEqual([
        { type: 'factor-refused', principal, kind: 'passkey', reason: 'cloned', factorId: authenticator.id },
      ]);
    }
    expect(await answer({ counter: 7 })).not.toBeNull();
    expect(await factors.list(principal)).toHaveLength(1);
  });

  it('MFA-1: of two answers at once the one with the lower counter is refused if it is written later', async () => {
    const { passkeys, records, another, enrolled, reasons } = testPasskeys();
    const { principal, authenticator, ask } = await enrolled({ counter: 5 });
    const proof = { principal, purpose: 'sign-in' };
    const low = authenticator.get(await ask(), { counter: 6 });
    const high = authenticator.get(await ask(), { counter: 7 });
    const slow = {
      ...records,
      async replace(...given: Parameters<typeof records.replace>): Promise<boolean> {
        slow.replace = async (...later) => records.replace(...later);
        expect(await passkeys.finishAuthentication({ ...proof, response: high })).not.toBeNull();
        return records.replace(...given);
      },
    };
    expect(await another({ records: slow }).finishAuthentication({ ...proof, response: low })).toBeNull();
    expect(reasons()).toEqual(['cloned']);
  });

  it('MFA-1: of an authenticator without a counter is accepted again and again', async () => {
    const { enrolled } = testPasskeys();
    const { answer } = await enrolled({ counter: 0 });
    for (let use = 0; use < 3; use += 1) expect(await answer({ counter: 0 })).not.toBeNull();
  });

  it('MFA-1: whose backup eligibility has changed is refused', async () => {
    const { enrolled, reasons } = testPasskeys();
    const { answer } = await enrolled();
    expect(await answer({ isBackupEligible: true })).toBeNull();
    expect(reasons()).toEqual(['wrong']);
  });

  it('MFA-1: that is anything else is refused', async () => {
    const { passkeys, enrolled, reasons } = testPasskeys();
    const { principal, authenticator, ask } = await enrolled();
    const right = authenticator.get(await ask());
    const { signature, ...unsigned } = right.response;
    const broken = [null, 7, 'x', [], {}, { response: {} }, { response: { clientDataJSON: 'e30' } }];
    for (const response of broken as never[]) {
      expect(await passkeys.finishAuthentication({ principal, purpose: 'sign-in', response })).toBeNull();
      expect(await passkeys.finishRegistration({ principal, response })).toBeNull();
    }
    reasons();
    const response = { ...right, response: unsigned } as never;
    expect(await passkeys.finishAuthentication({ principal, purpose: 'sign-in', response })).toBeNull();
    expect(reasons()).toEqual(['wrong']);
    expect(signature).toBeDefined();
  });
});

describe('registration', () => {
  it('MFA-1: is not completed after a reset, and a removed passkey proves nothing', async () => {
    const { passkeys, factors, enrolled, register, reasons } = testPasskeys();
    const { principal, authenticator, ask } = await enrolled();
    const asked = await ask();
    const options = await passkeys.beginRegistration({ principal, account: 'ada' });
    expect(await factors.remove({ principal, id: authenticator.id })).toBe(true);
    const response = authenticator.get(asked);
    expect(await passkeys.finishAuthentication({ principal, purpose: 'sign-in', response })).toBeNull();
    expect(await passkeys.beginAuthentication({ principal, purpose: 'sign-in' })).toBeNull();
    await factors.reset(principal);
    expect(await passkeys.finishRegistration({ principal, response: authenticator.create(options) })).toBeNull();
    expect(reasons()).toEqual(['not-enrolled', 'expired']);
    expect((await register(principal)).summary).toMatchObject({ kind: 'passkey' });
  });

  it('MFA-1: of one passkey twice is refused, and of more than the account may have', async () => {
    const { passkeys, register, factors } = testPasskeys({ maxPasskeys: 2 });
    const principal = freshPrincipal();
    const { authenticator, options } = await register(principal);
    const again = await passkeys.beginRegistration({ principal, account: 'ada' });
    expect(again.excludeCredentials).toMatchObject([{ id: authenticator.id }]);
    expect(again.user.id).toBe(options.user.id);
    expect((await register(principal, {}, authenticator)).summary).toBeNull();
    await register(principal);
    await expect(register(principal)).rejects.toMatchObject({ code: 'TOO_MANY_PASSKEYS', statusCode: 409 });
    const late = { principal, response: authenticator.create(again) };
    expect(await passkeys.finishRegistration(late)).toBeNull();
    expect(await factors.list(principal)).toHaveLength(2);
  });
});

describe('options', () => {
  const right = { rpId: SITE.rpId, rpName: 'Shop', origins: [SITE.origin] };
  const shared = { store: createMemoryStore(), records: createMemoryFactorRecords() };

  it.each<[string, Partial<PasskeysOptions>, RegExp]>([
    ['a URL as rpId', { rpId: 'https://example.com' }, /^rpId must be a domain/],
    ['an address as rpId', { rpId: '127.0.0.1' }, /^rpId must be a domain/],
    ['an origin with a path', { origins: ['https://example.com/'] }, /^origins must be a list of origins/],
    ['an origin without TLS', { origins: ['http://example.com'] }, /^origins must be a list of origins/],
    ['no origin', { origins: [] }, /^origins must be a list of origins/],
    ['an origin of another domain', { origins: ['https://badexample.com'] }, /^origins must be of the domain rpId/],
  ])('MFA-1: %s refuses the start', (_what, more, fault) => {
    let faults: readonly string[] = [];
    try {
      createPasskeys({ ...shared, ...right, ...more });
    } catch (error) {
      expect(error).toBeInstanceOf(SecondFactorSetupError);
      faults = (error as SecondFactorSetupError).faults;
    }
    expect(faults).toEqual([expect.stringMatching(fault)]);
  });

  it('MFA-1: localhost without TLS, and pages of a subdomain, are right', () => {
    createPasskeys({ ...shared, ...right, rpId: 'localhost', origins: ['http://localhost:3000'] });
    createPasskeys({ ...shared, ...right, origins: ['https://example.com', 'https://a.b.example.com:8443'] });
  });
});
