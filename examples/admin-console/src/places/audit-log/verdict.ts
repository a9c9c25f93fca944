import type { components } from '@sallyport/api-client';

type Verification = components['schemas']['AuditVerification'];

/** The last row that a signed checkpoint covers. Null: none does. */
export function coveredRow({ coveredTo, checkpoints }: Pick<Verification, 'coveredTo' | 'checkpoints'>): number | null {
  return coveredTo !== null && coveredTo > 0 && checkpoints !== null ? coveredTo : null;
}

/**
 * What a finished verification shows:
 *
 * - `broken`: something was changed.
 * - `unproven`: no fault was found, but no signed checkpoint covers the log. If its newest rows had been cut off, it
 *   would look the same.
 * - `intact`: it is as it was written, up to the covered row.
 */
export type Verdict = 'broken' | 'unproven' | 'intact';

export function verdictOf(verification: Pick<Verification, 'intact' | 'coveredTo' | 'checkpoints'>): Verdict {
  if (verification.intact !== true) return 'broken';
  return coveredRow(verification) === null ? 'unproven' : 'intact';
}
