import type { AsvsClaim } from './claim.js';
import { cryptographyClaims } from './cryptography-claims.js';
import { exposureClaims } from './exposure-claims.js';
import { fileClaims } from './file-claims.js';
import { inputClaims } from './input-claims.js';
import { loggingClaims } from './logging-claims.js';
import { passwordClaims } from './password-claims.js';
import { sessionClaims } from './session-claims.js';
import { signInClaims } from './sign-in-claims.js';
import { tokenClaims } from './token-claims.js';

/** Every item that this release says something of, in the order of the standard (DOC-4). */
export const asvsClaims: readonly AsvsClaim[] = [
  ...inputClaims,
  ...exposureClaims,
  ...fileClaims,
  ...passwordClaims,
  ...signInClaims,
  ...sessionClaims,
  ...tokenClaims,
  ...cryptographyClaims,
  ...loggingClaims,
].sort((a, b) => compareIds(a.id, b.id));

function compareIds(a: string, b: string): number {
  const [left, right] = [a, b].map((id) => id.slice(1).split('.').map(Number));
  const differs = left?.findIndex((number, i) => number !== right?.[i]) ?? -1;
  return differs === -1 ? 0 : (left?.[differs] ?? 0) - (right?.[differs] ?? 0);
}
