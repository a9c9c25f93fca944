import { randomUUID } from 'node:crypto';
import { warnOfMemoryStore } from '@sallyport/ttl-store';
import { withCheckedArguments } from './call-arguments.js';
import {
  createRecoveryCode,
  createTotpSecret,
  findStep,
  hashRecoveryCode,
  RECOVERY_CODE_COUNT,
  readRecoveryCode,
  readTotpCode,
  secretText,
  totpUri,
  withoutCode,
} from './codes/index.js';
import type { ProvenFactor, ProvenRecoveryCode, SecondFactors } from './contract.js';
import { createEnrolments } from './enrolments.js';
import { SecondFactorNotEnrolledError } from './errors.js';
import { createRefuser, type FactorRefusal } from './events.js';
import { createKeyCheck, createSecretBox } from './keys/index.js';
import { readSecondFactorsOptions, type SecondFactorsOptions } from './options.js';
import { changeRecord, type FactorKind, hasFactor, NO_FACTORS, readRecord } from './records/index.js';
import { tagOf } from './shared-options.js';
import { summarize } from './summaries.js';

/**
 * How long the store remembers a used step. Nodes whose clocks differ by less than this never accept one code twice,
 * even if the record was restored from a backup.
 */
const USED_STEP_MILLIS = 3_600_000;

type Refused = { readonly reason: FactorRefusal };
const isRefused = (outcome: object): outcome is Refused => 'reason' in outcome;

/**
 * TOTP codes and recovery codes, without Fastify. `records` keeps them.
 *
 * @example
 * ```ts
 * const factors = createSecondFactors({
 *   store: createMemoryStore(),
 *   records: createMemoryFactorRecords(), // your table
 *   key: { id: 'k1', secret: randomBytes(32) }, // the same on every server, and after a restart
 *   issuer: 'Shop',
 * });
 * ```
 *
 * @throws SecondFactorSetupError naming every fault of the options
 */
export function createSecondFactors(options: SecondFactorsOptions): SecondFactors {
  const { store, records, keyPrefix, now, onEvent, log, ...given } = readSecondFactorsOptions(options);
  const { key, previousKeys, issuer, algorithm } = given;
  const losses = 'a restart forgets enrolments, and another process does not know them';
  warnOfMemoryStore({ subject: 'second-factor', store, losses });
  const box = createSecretBox(key, previousKeys);
  const enrolments = createEnrolments(store, keyPrefix);
  const assertKeys = createKeyCheck(store, keyPrefix, key, previousKeys);
  const report = createRefuser(onEvent, log);
  const stepKey = (principal: string, factorId: string, step: number) =>
    `${keyPrefix}step:${tagOf(principal)}:${factorId}:${step}`;

  /** Reports a refusal, and makes null of it. */
  async function settle<Proven extends object>(
    principal: string,
    kind: FactorKind,
    outcome: Proven | Refused,
  ): Promise<Proven | null> {
    return isRefused(outcome) ? report({ principal, kind, reason: outcome.reason }) : outcome;
  }

  const engine: SecondFactors = {
    assertKeys,

    async beginTotp({ principal, account, name = null }) {
      // A secret under a wrong key could not be read by the other nodes.
      await assertKeys();
      const { epoch } = (await readRecord(records, principal)) ?? NO_FACTORS;
      const id = enrolments.newId();
      const secret = createTotpSecret(algorithm);
      const ttlMillis = given.enrolmentSeconds * 1000;
      const expiresAt = now() + ttlMillis;
      const sealed = box.seal(secret, { principal, factorId: id });
      await enrolments.begin(principal, { id, name, secret: sealed, algorithm, epoch }, ttlMillis);
      return { id, secret: secretText(secret), uri: totpUri({ issuer, account, secret, algorithm }), expiresAt };
    },

    async confirmTotp({ principal, id, code }) {
      const found = await enrolments.find(principal, id);
      if (found === null) return report({ principal, kind: 'totp', reason: 'expired' });
      const { epoch, ...pending } = found.pending;
      const secret = box.open(pending.secret, { principal, factorId: pending.id });
      const step = findStep(secret, readTotpCode(code), now(), pending.algorithm);
      if (step === null) return report({ principal, kind: 'totp', reason: 'wrong' });
      if (!(await found.take())) return report({ principal, kind: 'totp', reason: 'expired' });
      const outcome = await changeRecord<ProvenFactor | Refused>(records, principal, (record) => {
        if (record.epoch !== epoch) return { outcome: { reason: 'expired' } };
        const time = now();
        const totp = { ...pending, lastUsedStep: step, createdAt: time, lastUsedAt: time };
        return { outcome: { factorId: pending.id, kind: 'totp' }, next: { ...record, totp } };
      });
      return settle(principal, 'totp', outcome);
    },

    async verifyTotp({ principal, code }) {
      const claimed = new Set<string>();
      const outcome = await changeRecord<ProvenFactor | Refused>(records, principal, async (record) => {
        const { totp } = record;
        if (totp === null) return { outcome: { reason: 'not-enrolled' } };
        const owner = { principal, factorId: totp.id };
        const secret = box.open(totp.secret, owner);
        const step = findStep(secret, readTotpCode(code), now(), totp.algorithm);
        if (step === null) return { outcome: { reason: 'wrong' } };
        // RFC 6238, section 5.2: a code is accepted once. The record decides, and outlives the store. The store lets
        // one of many parallel uses through to it, and remembers what a record from a backup does not.
        if (step <= totp.lastUsedStep) return { outcome: { reason: 'used' } };
        const claim = stepKey(principal, totp.id, step);
        if (!claimed.has(claim) && !(await store.setIfAbsent(claim, '1', USED_STEP_MILLIS))) {
          return { outcome: { reason: 'used' } };
        }
        claimed.add(claim);
        const sealed = box.isOld(totp.secret) ? box.seal(secret, owner) : totp.secret;
        const used = { ...totp, secret: sealed, lastUsedStep: step, lastUsedAt: now() };
        return { outcome: { factorId: totp.id, kind: 'totp' }, next: { ...record, totp: used } };
      });
      return settle(principal, 'totp', outcome);
    },

    async createRecoveryCodes({ principal }) {
      const codes = Array.from({ length: RECOVERY_CODE_COUNT }, createRecoveryCode);
      const hashes = codes.map((code) => hashRecoveryCode(principal, code));
      await changeRecord(records, principal, (record) => {
        if (!hasFactor(record)) throw new SecondFactorNotEnrolledError();
        const recoveryCodes = { id: randomUUID(), hashes, createdAt: now(), lastUsedAt: null };
        return { outcome: null, next: { ...record, recoveryCodes } };
      });
      return codes;
    },

    async verifyRecoveryCode({ principal, code }) {
      const read = readRecoveryCode(code);
      const hash = hashRecoveryCode(principal, read ?? '');
      const outcome = await changeRecord<ProvenRecoveryCode | Refused>(records, principal, (record) => {
        const { recoveryCodes } = record;
        if (recoveryCodes === null) return { outcome: { reason: 'not-enrolled' } };
        const hashes = withoutCode(recoveryCodes.hashes, hash);
        if (hashes === null) return { outcome: { reason: 'wrong' } };
        const proven = { factorId: recoveryCodes.id, kind: 'recovery-code', codesLeft: hashes.length } as const;
        return {
          outcome: proven,
          next: { ...record, recoveryCodes: { ...recoveryCodes, hashes, lastUsedAt: now() } },
        };
      });
      return settle(principal, 'recovery-code', outcome);
    },

    async list(principal) {
      return summarize((await readRecord(records, principal)) ?? NO_FACTORS);
    },

    async remove({ principal, id }) {
      return changeRecord(records, principal, (record) => {
        if (!summarize(record).some((factor) => factor.id === id)) return { outcome: false };
        const left = {
          ...record,
          totp: record.totp?.id === id ? null : record.totp,
          passkeys: record.passkeys.filter((passkey) => passkey.id !== id),
        };
        const keepsCodes = record.recoveryCodes?.id !== id && hasFactor(left);
        return { outcome: true, next: { ...left, recoveryCodes: keepsCodes ? record.recoveryCodes : null } };
      });
    },

    async reset(principal) {
      await changeRecord(records, principal, ({ userHandle }) => ({
        outcome: null,
        next: { ...NO_FACTORS, userHandle, epoch: randomUUID() },
      }));
    },

    needsReencryption: ({ totp }) => totp !== null && box.isOld(totp.secret),

    async reencrypt(principal) {
      return changeRecord(records, principal, (record) => {
        const { totp } = record;
        if (totp === null || !box.isOld(totp.secret)) return { outcome: false };
        const owner = { principal, factorId: totp.id };
        const secret = box.seal(box.open(totp.secret, owner), owner);
        return { outcome: true, next: { ...record, totp: { ...totp, secret } } };
      });
    },
  };
  return withCheckedArguments(engine);
}
