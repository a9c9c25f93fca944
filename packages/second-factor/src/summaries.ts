import type { FactorSummary } from './contract.js';
import type { FactorRecord, PasskeyRecord } from './records/index.js';

/** The factors of an account, as its owner may see them. */
export function summarize({ totp, passkeys, recoveryCodes }: FactorRecord): readonly FactorSummary[] {
  const summaries: FactorSummary[] = [];
  if (totp !== null) {
    const { id, name, createdAt, lastUsedAt } = totp;
    summaries.push({ id, kind: 'totp', name, createdAt, lastUsedAt });
  }
  summaries.push(...passkeys.map(summarizePasskey));
  if (recoveryCodes !== null) {
    const { id, createdAt, lastUsedAt, hashes } = recoveryCodes;
    summaries.push({ id, kind: 'recovery-code', name: null, createdAt, lastUsedAt, codesLeft: hashes.length });
  }
  return summaries;
}

export function summarizePasskey({ id, name, createdAt, lastUsedAt, isBackedUp }: PasskeyRecord): FactorSummary {
  return { id, kind: 'passkey', name, createdAt, lastUsedAt, isBackedUp };
}
