/**
 * Permission codes and grants (TOK-8).
 *
 * A code is one or more segments of `A-Z a-z 0-9 _ . -`, joined by colons: `api:admin:auth:clearLoginLimit`.
 * A grant is a code, or begins a family of codes: `api:admin:*` grants every code that begins with `api:admin:`, at
 * any depth, and neither `api:admin` itself nor `api:administrators`; `*` alone grants every code. A `*` anywhere else
 * makes no grant: it matches nothing.
 */
const CODE = /^[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)*$/;
const GRANT = /^(?:\*|[A-Za-z0-9_.-]+(?::[A-Za-z0-9_.-]+)*(?::\*)?)$/;

// Far beyond any code that people write; it bounds what a role can make us compare.
const MAX_CODE_LENGTH = 200;

export function isPermissionCode(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CODE_LENGTH && CODE.test(value);
}

/** For the endpoint that writes roles: what isn't a grant should be refused there, since it would grant nothing. */
export function isPermissionGrant(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_CODE_LENGTH && GRANT.test(value);
}

/** Whether one of the grants covers the code. What is no grant, or no code, grants nothing. */
export function isGranted(grants: readonly string[], code: string): boolean {
  return isPermissionCode(code) && grants.some((grant) => isPermissionGrant(grant) && covers(grant, code));
}

function covers(grant: string, code: string): boolean {
  // The prefix keeps its colon, so that it ends on the border of a segment.
  return grant.endsWith('*') ? code.startsWith(grant.slice(0, -1)) : grant === code;
}
