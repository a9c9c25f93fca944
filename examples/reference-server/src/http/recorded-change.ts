import type { FastifyRequest } from 'fastify';

/**
 * A change of a resource, read in its transaction. null: the resource did not exist before, or does not exist after.
 */
export interface Change<Content> {
  readonly before: Content;
  readonly after: Content | null;
}

/**
 * Adds old and new values to the audit record of the request (AUD-1): for a change the members that differ, for a
 * deletion all members. The names are those of parameter changes: `oldValue`, `newValue`.
 */
export function recordChange<Content extends object>(
  { audit }: Pick<FastifyRequest, 'audit'>,
  { before, after }: Change<Content>,
  members: readonly (keyof Content & string)[],
): void {
  const changed = members.filter((name) => after === null || !isSame(before[name], after[name]));
  const valuesOf = (content: Content) => Object.fromEntries(changed.map((name) => [name, content[name]]));
  audit?.set({ detail: { oldValue: valuesOf(before), newValue: after && valuesOf(after) } });
}

/** Compares JSON values. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
