import type { AuditDetails } from '@sallyport/audit-log';

/**
 * A change of a resource, read in its transaction. null: the resource did not exist before, or does not exist after.
 */
export interface Change<Content> {
  readonly before: Content;
  readonly after: Content | null;
}

/**
 * Old and new values for the audit record (AUD-1): for a change the members that differ, for a deletion all members.
 * The names are those of parameter changes: `oldValue`, `newValue`.
 */
export function detailOfChange<Content extends object>(
  { before, after }: Change<Content>,
  members: readonly (keyof Content & string)[],
): Pick<AuditDetails, 'detail'> {
  const changed = members.filter((name) => after === null || !isSame(before[name], after[name]));
  const valuesOf = (content: Content) => Object.fromEntries(changed.map((name) => [name, content[name]]));
  return { detail: { oldValue: valuesOf(before), newValue: after && valuesOf(after) } };
}

/** Compares JSON values. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
