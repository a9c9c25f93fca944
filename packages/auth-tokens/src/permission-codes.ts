/**
 * Permission codes and grants (TOK-8).
 *
 * A code is one or more segments of `A-Z a-z 0-9 _ . -`, joined by colons: `api:admin:auth:clearLoginLimit`.
 * A grant is a code, or ends in `:*`: `api:admin:*` covers every code that begins with `api:admin:`, at any depth, but
 * neither `api:admin` itself nor `api:administrators`. The grant `*` covers every code. A text with a `*` anywhere else
 * is not a grant and covers nothing.
 */
const CODE = /^[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)*$/;
const GRANT = /^(?:\*|[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)*(?::\*)?)$/;

/** The maximum length, far longer than real codes. It bounds the work of a comparison. */
const MAX_CODE_LENGTH = 200;

export function isPermissionCode(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CODE_LENGTH && CODE.test(value);
}

/** Whether the text is a grant. An endpoint that writes roles should refuse other texts, because they grant nothing. */
export function isPermissionGrant(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CODE_LENGTH && GRANT.test(value);
}

/** Whether one of the grants covers the code. A malformed grant or code never does. */
export function isGranted(grants: readonly string[], code: string): boolean {
  return isPermissionCode(code) && grants.some((grant) => isPermissionGrant(grant) && covers(grant, code));
}

function covers(grant: string, code: string): boolean {
  // The prefix keeps its colon, so that it ends at the end of a segment.
  return grant.endsWith('*') ? code.startsWith(grant.slice(0, -1)) : grant === code;
}

/** A text must not be read as a list of its letters: those of `'api:*'` contain the grant `*`. */
export function grantsFrom(loaded: unknown): readonly string[] {
  if (Array.isArray(loaded) || loaded instanceof Set) return [...loaded];
  throw new TypeError('loadPermissions must return a list of grants');
}
