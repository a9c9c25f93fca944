import type { AddedCount, Counter, RequiredValue, TtlStore } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import type { KnownSession, Principal, SubjectKey } from '../sessions/index.js';

/** A counter in the store of the sessions, as `increment` of a `TtlStore` takes it. */
export type SessionCount = Pick<AddedCount, 'key' | 'ttlMillis'>;

/** The option `countWithSession`. */
export type CountWithSession = (request: FastifyRequest, principal: Principal) => SessionCount | null;

interface SessionCountsOptions {
  readonly count: CountWithSession | undefined;
  readonly changeAll: TtlStore['changeAll'];
  /** The conditions under which the owner holds the codes. Null: nothing is known. */
  readonly knownToHold: (owner: SubjectKey, codes: readonly string[]) => readonly RequiredValue[] | null;
}

/** A counter and its count. */
export interface SessionCounted {
  readonly key: string;
  /** Null if session or permissions have changed, and nothing was counted. Rejects if the store fails. */
  readonly counter: Promise<Counter | null>;
}

/**
 * Counts requests in the round trip of the read of their session. The step of the store that takes the count compares
 * session and permissions with what this process has seen of them, so nothing is counted for a session that has ended
 * or lost its permission. Only a loss of the store may let a request be counted and then refused.
 */
export function createSessionCounts({ count, changeAll, knownToHold }: SessionCountsOptions) {
  return function countWith(
    request: FastifyRequest,
    access: { readonly audiences: readonly string[]; readonly permissions: readonly string[] },
    findKnown: () => KnownSession | null,
  ): SessionCounted | null {
    if (count === undefined || changeAll === undefined) return null;
    const known = findKnown();
    if (known === null || !access.audiences.includes(known.principal.audience)) return null;
    const { principal, unchanged } = known;
    const held = knownToHold(principal, access.permissions);
    const counter = held === null ? null : count(request, principal);
    if (held === null || counter === null) return null;
    const counting = inSamePacket(() => changeAll([unchanged, ...held, { ...counter, by: 1 }])).then((changes) =>
      changes.done ? (changes.counters.at(-1) ?? null) : null,
    );
    // The request may be refused before anybody asks for the count.
    counting.catch(() => {});
    return { key: counter.key, counter: counting };
  };
}

/** A store may collect the reads of a turn of the event loop, and send them at its end. */
function inSamePacket<Result>(send: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve) => setImmediate(() => resolve(Promise.resolve().then(send))));
}
