/** Every permission of the service, also of its later versions. */
export const EVERY = '*';

/** A grant of all permissions that begin with a text. */
export function isFamily(grant: string): boolean {
  return grant.endsWith('*');
}

/** The first of the grants that has the permission. */
export function grantOf(grants: readonly string[], code: string): string | undefined {
  return grants.find((grant) => grant === code || (isFamily(grant) && code.startsWith(grant.slice(0, -1))));
}

/**
 * The grants that the user does not hold, of those. The service refuses to give or to take them. All permissions of a
 * family, one by one, are not the family, which will have others.
 */
export function unheldOf(held: readonly string[], grants: readonly string[]): readonly string[] {
  return grants.filter((grant) => grantOf(held, grant) === undefined);
}
