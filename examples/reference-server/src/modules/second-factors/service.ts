import type { Principal } from '@sallyport/auth-tokens';
import type { FactorKind } from '@sallyport/second-factor';
import type { Passkeys } from '@sallyport/second-factor/passkeys';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SecondFactorFailedError } from '../../protection/errors.js';
import { type Changes, runEventOf } from '../../storage/changes.js';
import type { ReadableDatabase } from '../../storage/database.js';
import { type AccountTables, createFactorAccounts, type FactorAccount, type FactorAccounts } from './accounts.js';
import { type EngineConfig, engineFactory, type FactorEngines, type OpenEngines } from './engines.js';
import { PasskeysNotConfiguredError } from './errors.js';
import { assertFactorKeys, type FactorKeyConfig, type FactorKeys, loadFactorKeys } from './factor-keys.js';
import { refuseChange } from './factor-records.js';
import { createFactorFailures, type FactorFailures } from './failures.js';
import { createGraceCheck } from './grace.js';
import { type FactorOwner, principalOf } from './owner.js';
import { type FactorPolicy, readFactorPolicy } from './parameters.js';

/** The purpose of a challenge. An answer to another one proves nothing. */
export type FactorPurpose = 'sign-in' | 'step-up';

/** The proof that a client presents. `code` and `credential` are as it sent them. */
export type FactorProof =
  | { readonly kind: 'totp' | 'recovery-code'; readonly code: string }
  | { readonly kind: 'passkey'; readonly credential: unknown; readonly purpose: FactorPurpose };

type PasskeyAnswer = Parameters<Passkeys['finishAuthentication']>[0]['response'];
export type PasskeyOptions = NonNullable<Awaited<ReturnType<Passkeys['beginAuthentication']>>>;

/** The second factors of accounts, for the sign-in and for step-up. */
export interface SecondFactorService {
  /** The kinds of the account's factors. Empty: none is enrolled. */
  kindsOf(owner: FactorOwner): Promise<readonly FactorKind[]>;
  /**
   * The id of the factor that is right, or null. A code or challenge is used up. Failures are counted before the
   * comparison and recorded, and so is a success.
   *
   * @throws {LoginLockedError} after too many wrong codes; passkeys are never locked
   */
  verify(owner: FactorOwner, proof: FactorProof, request: FastifyRequest): Promise<string | null>;
  /** Whether the account still has this factor. */
  has(owner: FactorOwner, factorId: string): Promise<boolean>;
  /**
   * The options for `navigator.credentials.get`; null if the account has no passkey.
   *
   * @throws {PasskeysNotConfiguredError}
   */
  beginPasskey(owner: FactorOwner, purpose: FactorPurpose): Promise<PasskeyOptions | null>;
  policyOf(audience: FactorOwner['audience']): Promise<FactorPolicy>;
  /** Whether the password alone allows the first factor of a sign-in that demands one, or a one-time code is needed. */
  mayEnrol(owner: FactorOwner): Promise<'free' | 'code'>;
  /**
   * The account of a session.
   *
   * @throws {AccountGoneError} if it was deleted or disabled
   */
  ownerOf(principal: Pick<Principal, 'audience' | 'subject'>): Promise<FactorAccount>;
}

/** The parts with which this module's routes change factors. */
export interface FactorParts {
  readonly openEngines: OpenEngines;
  readonly keys: FactorKeys;
  readonly failures: FactorFailures;
  readonly accounts: FactorAccounts;
  /** For reading, and for what is only in the store. */
  readonly readOnly: FactorEngines;
}

/** @throws {PasskeysNotConfiguredError} */
export function passkeysOf({ passkeys }: FactorEngines): Passkeys {
  if (passkeys === null) throw new PasskeysNotConfiguredError();
  return passkeys;
}

interface EngineOptions extends Pick<Parameters<typeof engineFactory>[0], 'store' | 'log'> {
  readonly config: EngineConfig & FactorKeyConfig;
  readonly database: ReadableDatabase;
  readonly accounts: AccountTables;
  /** Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export interface SecondFactorOptions extends Omit<EngineOptions, 'log'> {
  readonly changes: Changes;
  readonly store: EngineOptions['store'] & Parameters<typeof createFactorFailures>[0];
}

/** Opens the engines, for the server and for commands, without a look at the keys of before. */
export async function openFactorEngines({
  config,
  database,
  accounts,
  store,
  log = null,
  now = Date.now,
}: EngineOptions) {
  const keys = await loadFactorKeys(config);
  const openEngines = engineFactory({ config, keys, database, store, log, now });
  return { keys, openEngines, accounts: createFactorAccounts(database, accounts) };
}

/**
 * Opens the second factors of the server.
 *
 * @throws {ConfigError} for a key that is not the one of the stored secrets (MFA-1)
 */
export async function openSecondFactors(
  app: Pick<FastifyInstance, 'systemParameters' | 'log' | 'metrics'>,
  options: SecondFactorOptions,
): Promise<SecondFactorService & FactorParts> {
  const { database, changes, store } = options;
  const { keys, openEngines, accounts } = await openFactorEngines({ ...options, log: app.log });
  const failures = createFactorFailures(store, { log: app.log, noteLock: app.metrics.noteLock });
  const readOnly = openEngines(refuseChange);
  const isWithinGrace = createGraceCheck(database, options.accounts);
  await assertFactorKeys(readOnly.factors, keys, database, app.log);

  /** The engines of one verification: the use of a factor commits with its record. */
  function enginesOf({ username: target }: FactorOwner, kind: FactorKind, request: FastifyRequest): FactorEngines {
    const runEvent = runEventOf(changes, request);
    return openEngines(
      (work) =>
        runEvent({ action: 'second-factor.verify', target }, async (transaction, record) => {
          record({ detail: { kind } });
          await work(transaction, record);
        }),
      ({ reason }) =>
        request.audit?.record({
          action: 'second-factor.verify',
          target,
          outcome: 'failure',
          reason: new SecondFactorFailedError().code,
          detail: { kind, reason },
        }),
    );
  }

  return {
    openEngines,
    keys,
    failures,
    accounts,
    readOnly,
    ownerOf: accounts.ownerOf,

    async kindsOf(owner) {
      const list = await readOnly.factors.list(principalOf(owner));
      return [...new Set(list.map(({ kind, codesLeft }) => (codesLeft === 0 ? null : kind)))].filter(
        (kind) => kind !== null,
      );
    },

    async verify(owner, proof, request) {
      const principal = principalOf(owner);
      const engines = enginesOf(owner, proof.kind, request);
      if (proof.kind === 'passkey') {
        const { purpose, credential } = proof;
        const response = credential as PasskeyAnswer;
        return (await passkeysOf(engines).finishAuthentication({ principal, purpose, response }))?.factorId ?? null;
      }
      const { kind, code } = proof;
      const proven = await failures.attempt(owner, kind, request, () =>
        kind === 'totp'
          ? engines.factors.verifyTotp({ principal, code })
          : engines.factors.verifyRecoveryCode({ principal, code }),
      );
      return proven?.factorId ?? null;
    },

    async has(owner, factorId) {
      return (await readOnly.factors.list(principalOf(owner))).some(({ id }) => id === factorId);
    },

    async beginPasskey(owner, purpose) {
      return passkeysOf(readOnly).beginAuthentication({ principal: principalOf(owner), purpose });
    },

    policyOf: (audience) => readFactorPolicy(app, audience),

    async mayEnrol(owner) {
      const { mode, graceDays } = await readFactorPolicy(app, owner.audience);
      return mode !== 'REQUIRED' || (await isWithinGrace(owner, graceDays)) ? 'free' : 'code';
    },
  };
}
