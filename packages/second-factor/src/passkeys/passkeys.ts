import { randomBytes } from 'node:crypto';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FactorSummary } from '../contract.js';
import { TooManyPasskeysError } from '../errors.js';
import { createRefuser, type FactorRefusal } from '../events.js';
import { changeRecord, type FactorRecord, NO_FACTORS, type PasskeyRecord, readRecord } from '../records/index.js';
import { summarizePasskey } from '../summaries.js';
import { withCheckedArguments } from './call-arguments.js';
import { createChallenges, readClientData } from './challenges.js';
import type { Passkeys, ProvenPasskey } from './contract.js';
import { type PasskeysOptions, readPasskeysOptions } from './passkey-options.js';

/** ES256, EdDSA and RS256 (IANA COSE Algorithms), which all authenticators of today offer one of. */
const ALGORITHMS = [-7, -8, -257];

/** WebAuthn Level 3, section 5.4.3: a user handle has at most 64 bytes, and says nothing of the user. */
const USER_HANDLE_BYTES = 32;

/** WebAuthn Level 3, section 5.1: a credential id has at most 1023 bytes, here in base64url. */
const MAX_ID_LENGTH = 1364;

/** An RSA key of 8192 bits fits. The record of an account stays small. */
const MAX_KEY_BYTES = 2048;

const REQUIRED = 'required';

/** Its modules are a sixth of the start of a server that may never see a passkey. */
const library = () => import('@simplewebauthn/server');

type Refused = { readonly reason: FactorRefusal };
const isRefused = (outcome: object): outcome is Refused => 'reason' in outcome;

/** The credentials of a record, as the browser is told of them. */
const known = ({ passkeys }: FactorRecord) =>
  passkeys.map(({ id, transports }) => ({ id, transports: [...transports] }));

/**
 * Passkeys (WebAuthn), by `@simplewebauthn/server`, without Fastify.
 *
 * @example
 * ```ts
 * const passkeys = createPasskeys({
 *   store,
 *   records,
 *   rpId: 'example.com',
 *   rpName: 'Shop',
 *   origins: ['https://admin.example.com'],
 * });
 * ```
 *
 * @throws SecondFactorSetupError naming every fault of the options
 */
export function createPasskeys(options: PasskeysOptions): Passkeys {
  const { store, records, keyPrefix, now, onEvent, log, ...given } = readPasskeysOptions(options);
  const { rpId, rpName, maxPasskeys } = given;
  const origins = [...given.origins];
  const losses = 'a restart forgets challenges, and another process does not know them';
  warnOfMemoryStore({ subject: 'second-factor', store, losses });
  const timeout = given.challengeSeconds * 1000;
  const challenges = createChallenges(store, keyPrefix, timeout);
  const report = createRefuser(onEvent, log);
  const refuse = (principal: string, reason: FactorRefusal, factorId?: string) =>
    report({ principal, kind: 'passkey', reason, ...(factorId === undefined ? {} : { factorId }) });

  /** Finds the use of the challenge of an answer, and uses the challenge up. */
  async function takeUse(principal: string, response: unknown) {
    const client = readClientData(response);
    if (client === null) return null;
    const use = await challenges.take(principal, client.challenge);
    return use === null ? null : { ...client, use };
  }

  function assertRoom(record: FactorRecord): void {
    if (record.passkeys.length >= maxPasskeys) throw new TooManyPasskeysError();
  }

  return withCheckedArguments({
    async beginRegistration({ principal, account }) {
      const record = (await readRecord(records, principal)) ?? NO_FACTORS;
      assertRoom(record);
      const userHandle = record.userHandle ?? randomBytes(USER_HANDLE_BYTES).toString('base64url');
      const use = { kind: 'registration', userHandle, epoch: record.epoch } as const;
      const { generateRegistrationOptions } = await library();
      return generateRegistrationOptions({
        rpName,
        rpID: rpId,
        userName: account,
        userID: new Uint8Array(Buffer.from(userHandle, 'base64url')),
        challenge: new Uint8Array(Buffer.from(await challenges.make(principal, use), 'base64url')),
        timeout,
        attestationType: 'none',
        excludeCredentials: known(record),
        authenticatorSelection: { residentKey: 'preferred', userVerification: REQUIRED },
        supportedAlgorithmIDs: ALGORITHMS,
      });
    },

    async finishRegistration({ principal, response, name = null }) {
      const taken = await takeUse(principal, response);
      if (taken?.use.kind !== 'registration') return refuse(principal, 'expired');
      const { challenge, isFramed } = taken;
      const { userHandle, epoch } = taken.use;
      if (isFramed) return refuse(principal, 'wrong');
      const bare = await withoutStatement(response);
      if (bare === null) return refuse(principal, 'wrong');
      const { verifyRegistrationResponse } = await library();
      const verified = await verifyRegistrationResponse({
        response: bare,
        expectedChallenge: challenge,
        expectedOrigin: origins,
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => null); // The library rejects for what the client wrote.
      if (verified === null || !verified.verified) return refuse(principal, 'wrong');
      const { credential, credentialDeviceType, credentialBackedUp, aaguid } = verified.registrationInfo;
      if (credential.id.length > MAX_ID_LENGTH || credential.publicKey.length > MAX_KEY_BYTES) {
        return refuse(principal, 'wrong');
      }
      const passkey: PasskeyRecord = {
        id: credential.id,
        name,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: readTransports(credential.transports),
        isBackupEligible: credentialDeviceType === 'multiDevice',
        isBackedUp: credentialBackedUp,
        aaguid,
        createdAt: now(),
        lastUsedAt: null,
      };
      const outcome = await changeRecord<FactorSummary | Refused>(records, principal, (record) => {
        // After a reset nothing is completed that began before it.
        if (record.epoch !== epoch) return { outcome: { reason: 'expired' } };
        if (record.passkeys.some(({ id }) => id === passkey.id)) return { outcome: { reason: 'wrong' } };
        assertRoom(record);
        const passkeys = [...record.passkeys, passkey];
        const next = { ...record, userHandle: record.userHandle ?? userHandle, passkeys };
        return { outcome: summarizePasskey(passkey), next };
      });
      return isRefused(outcome) ? refuse(principal, outcome.reason) : outcome;
    },

    async beginAuthentication({ principal, purpose }) {
      const record = (await readRecord(records, principal)) ?? NO_FACTORS;
      if (record.passkeys.length === 0) return null;
      const challenge = await challenges.make(principal, { kind: 'authentication', purpose });
      const { generateAuthenticationOptions } = await library();
      return generateAuthenticationOptions({
        rpID: rpId,
        allowCredentials: known(record),
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        timeout,
        userVerification: REQUIRED,
      });
    },

    async finishAuthentication({ principal, purpose, response }) {
      const taken = await takeUse(principal, response);
      if (taken?.use.kind !== 'authentication' || taken.use.purpose !== purpose) return refuse(principal, 'expired');
      if (taken.isFramed) return refuse(principal, 'wrong');
      const { passkeys } = (await readRecord(records, principal)) ?? NO_FACTORS;
      const passkey = passkeys.find(({ id }) => id === response.id);
      if (passkey === undefined) return refuse(principal, 'not-enrolled');
      const { verifyAuthenticationResponse } = await library();
      const verified = await verifyAuthenticationResponse({
        response,
        expectedChallenge: taken.challenge,
        expectedOrigin: origins,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: {
          id: passkey.id,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          counter: 0, // Compared below, with the record as it is when it is written.
        },
      }).catch(() => null); // The library rejects for what the client wrote.
      if (verified === null || !verified.verified) return refuse(principal, 'wrong', passkey.id);
      const { newCounter: counter, credentialDeviceType, credentialBackedUp } = verified.authenticationInfo;

      const outcome = await changeRecord<ProvenPasskey | Refused>(records, principal, (record) => {
        const present = record.passkeys.find(({ id }) => id === passkey.id);
        // The passkey was removed in the meantime, or its account was given another one of the same name.
        if (present?.publicKey !== passkey.publicKey) return { outcome: { reason: 'not-enrolled' } };
        // WebAuthn Level 3, section 7.2: a counter that both sides lack is 0; any other must have grown.
        if ((counter > 0 || present.counter > 0) && counter <= present.counter) {
          return { outcome: { reason: 'cloned' } };
        }
        // The same section: the backup eligibility of a credential never changes.
        const isBackupEligible = credentialDeviceType === 'multiDevice';
        if (isBackupEligible !== present.isBackupEligible) return { outcome: { reason: 'wrong' } };
        const used = { ...present, counter, isBackedUp: credentialBackedUp, lastUsedAt: now() };
        return {
          outcome: { factorId: used.id, kind: 'passkey', isBackupEligible, isBackedUp: used.isBackedUp },
          next: { ...record, passkeys: record.passkeys.map((each) => (each === present ? used : each)) },
        };
      });
      return isRefused(outcome) ? refuse(principal, outcome.reason, passkey.id) : outcome;
    },
  });
}

/**
 * The response with the attestation `none`, which is the one that was asked for. The library would verify any other one
 * that a client writes. It fetches the revocation lists that the client's certificates name, from any address and of
 * any size, before it looks at who signed them.
 *
 * @returns null for a response that can't be read
 */
async function withoutStatement(response: RegistrationResponseJSON): Promise<RegistrationResponseJSON | null> {
  const { isoBase64URL, isoCBOR } = await import('@simplewebauthn/server/helpers');
  // The decoder allocates by the length that anything else names.
  if (typeof response.response?.attestationObject !== 'string') return null;
  try {
    const given = isoBase64URL.toBuffer(response.response.attestationObject);
    const authData = isoCBOR.decodeFirst<Map<string, Uint8Array<ArrayBuffer>>>(given).get('authData')!;
    const bare = isoCBOR.encode(
      new Map<string, string | Map<string, string> | Uint8Array>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    const attestationObject = isoBase64URL.fromBuffer(bare);
    return { ...response, response: { ...response.response, attestationObject } };
  } catch {
    return null;
  }
}

/** The transports that a client names. They go into the record, so they are bounded. */
function readTransports(given: unknown): readonly string[] {
  const isTransport = (each: unknown) => typeof each === 'string' && /^[a-z-]{1,20}$/.test(each);
  return Array.isArray(given) ? given.filter(isTransport).slice(0, 8) : [];
}
