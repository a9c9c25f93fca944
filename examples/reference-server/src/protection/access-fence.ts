import { type EndReason, isGranted, PermissionDeniedError, sessionEndedError } from '@sallyport/auth-tokens';
import { type SQL, sql } from 'drizzle-orm';
import type { FastifyRequest } from 'fastify';
import type { Database, Queries } from '../storage/database.js';
import { rowsOf } from '../storage/schema-target.js';
import { accessLocks, sessionEnds } from '../storage/session-ends.js';

/**
 * How long a change may hold its lock without sending anything, in milliseconds. Then PostgreSQL ends the change, so
 * that an end waits for a node that stands still no longer than that, and is answered within two seconds.
 */
const MAX_IDLE_MILLIS = 1000;

/** Decides as the last step of a transaction whether it may commit (TOK-13). */
export interface AccessFence {
  /** Rejects with the refusal that the request would get now. Nothing on a route without a principal. */
  confirm(transaction: Queries, request: FastifyRequest): Promise<void> | undefined;
}

export interface AccessFenceOptions {
  readonly database: Pick<Database, 'embedded'>;
  /** A query with the current grants of an administrator, as one JSON list. */
  readonly grantsOf: (administratorId: string) => SQL;
}

interface Found {
  readonly reason: EndReason | null;
  readonly grants: readonly string[];
}

/** Requests that have ended the sessions of their own principal, and go on. */
const endedOwn = new WeakSet<FastifyRequest>();

/** The request goes on after the end of its own session, which it has caused: a change of the own password. */
export function exemptFromOwnEnd(request: FastifyRequest): void {
  endedOwn.add(request);
}

/** What the actors of changes of access rights held before their changes. */
const grantsBefore = new WeakMap<object, readonly string[]>();

/**
 * The change is confirmed by these grants of its actor, since it may take his own away. They have to be read under a
 * lock that keeps other changes from taking them until the commit.
 */
export function confirmByGrants(transaction: Queries, grants: readonly string[]): void {
  grantsBefore.set(transaction, grants);
}

/**
 * Both statements are sent together. The second one has a snapshot of its own, taken when the lock is held, so it sees
 * every end that was committed before, and every later end waits for the commit. The embedded database has one session,
 * which runs one transaction after the other.
 */
export function createAccessFence({ database, grantsOf }: AccessFenceOptions): AccessFence {
  async function check(transaction: Queries, request: FastifyRequest): Promise<void> {
    const { audience, subject, sessionId } = request.principal!;
    const { permission = [] } = request.routeOptions.config;
    const codes = [permission].flat();
    const shared = [
      ...(codes.length === 0 ? [] : [accessLocks.permissions()]),
      accessLocks.sessionsOf(audience, subject),
    ].map((key) => sql`pg_advisory_xact_lock_shared(${key})`);
    const lock = sql`
      select set_config('idle_in_transaction_session_timeout', ${String(MAX_IDLE_MILLIS)}, true),
        ${sql.join(shared, sql`, `)}`;
    const grantsNow = codes.length === 0 ? sql`'[]'::json` : grantsOf(subject);
    const look = sql`
      select (select reason from ${sessionEnds} where session_id = ${sessionId}) as reason, (${grantsNow}) as grants`;

    const locking = database.embedded === null ? Promise.resolve(transaction.execute(lock)) : undefined;
    const [, [found]] = await Promise.all([locking, rowsOf<Found>(transaction, look)]);
    const { reason, grants } = found!;
    const held = grantsBefore.get(transaction) ?? grants;
    if (reason !== null && !endedOwn.has(request)) throw sessionEndedError(reason);
    if (!codes.every((code) => isGranted(held, code))) throw new PermissionDeniedError();
  }

  return {
    confirm: (transaction, request) => (request.principal === null ? undefined : check(transaction, request)),
  };
}
