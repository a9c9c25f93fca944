import type { FastifyRequest } from 'fastify';

/** What a change made of something, as both were in its transaction; null: there was, or is, nothing. */
export interface Change<Content> {
  readonly before: Content;
  readonly after: Content | null;
}

/**
 * Says in the audit record of the request what the change made of which value (AUD-1): of a change the members that
 * differ, of a deletion all. As parameters have it: `oldValue`, `newValue`.
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

/** Of what JSON can say. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
