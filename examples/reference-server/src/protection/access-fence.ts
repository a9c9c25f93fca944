import {
  type EndReason,
  isEndedByAll,
  isGranted,
  type OwnerEnd,
  PermissionDeniedError,
  type Principal,
  type SessionEnd,
  type SessionEnds,
  type SubjectKey,
  sessionEndedError,
} from '@sallyport/auth-tokens';
import { renderStatement } from '@sallyport/plugin-kit/postgres';
import { type SQL, sql } from 'drizzle-orm';
import type { FastifyRequest } from 'fastify';
import type { Database, Queries } from '../storage/database.js';
import { rowsOf } from '../storage/schema-target.js';
import { accessLocks, insertEnds, ownerEnd, sessionEnds } from '../storage/session-ends.js';
import { PasswordChangeRequiredError } from './errors.js';
import type { FactorDuty } from './factor-duty.js';
import type { PasswordDuty } from './password-duty.js';

/**
 * The time for which a change may hold its lock without sending anything. After that PostgreSQL ends the change, so
 * that an end of sessions does not wait longer for a stopped node, and is answered within two seconds. It is less than
 * the limit of sessions (storage/postgres.ts), so that it shows whether the lock was taken.
 */
const MAX_IDLE = '900ms';
const IDLE_TIMEOUT = 'idle_in_transaction_session_timeout';

/** The permissions of the route. */
type Codes = readonly string[];

/** Decides in the last step of a transaction whether it may commit (TOK-13). */
export interface AccessFence {
  /**
   * Rejects with the refusal that the request would get now, and commits the ends that belong to its change. Does
   * nothing without a principal and without ends.
   */
  confirm(transaction: Queries, request: FastifyRequest): Promise<void> | undefined;
}

export interface AccessFenceOptions {
  readonly database: Pick<Database, 'embedded'>;
  /** A query with the current grants of an administrator, as one JSON list. */
  readonly grantsOf: (administratorId: string) => SQL;
  /** Default: nobody has to change a password first. */
  readonly duty?: PasswordDuty;
  /** Default: no factor and no fresh proof is needed. */
  readonly factorDuty?: FactorDuty;
  /**
   * Ends a session in the store after its end was committed. Default: the session waits for the next attempt to end it.
   */
  readonly finishEnd?: (sessionId: string, reason: EndReason) => Promise<unknown>;
}

interface Found {
  readonly reason: EndReason | null;
  readonly all: OwnerEnd | null;
  readonly grants: readonly string[];
  readonly duty: string | null;
  readonly enrolled: boolean;
  readonly idleTimeout: string;
}

interface EndsOfOwner {
  readonly owner: SubjectKey;
  readonly ends: readonly SessionEnd[];
  readonly all: OwnerEnd | undefined;
}

const endsOfChanges = new WeakMap<FastifyRequest, EndsOfOwner[]>();

/**
 * For the ends that belong to a change, such as a disabling: the sessions are ended in their store first, and the ends
 * are committed with the change. So if two administrators disable each other at the same time, the first commit wins,
 * and a request that changes its own password is not refused because of its own change. Undefined if the request has
 * ended sessions before. In that case its change is already made, and later ends are independent.
 */
export function endsOfChange(request: FastifyRequest): SessionEnds | undefined {
  if (endsOfChanges.has(request)) return undefined;
  const collected: EndsOfOwner[] = [];
  endsOfChanges.set(request, collected);
  return { write: async (owner, ends, all) => void collected.push({ owner, ends, all }) };
}

const { placeholder } = sql;
const lockShared = renderStatement<'key'>(sql`pg_advisory_xact_lock_shared(${placeholder('key')})`);
const lockAlone = renderStatement<'key'>(sql`pg_advisory_xact_lock(${placeholder('key')})`);
const takeLast = renderStatement<'lock'>(sql`
  select set_config(${sql.raw(`'${IDLE_TIMEOUT}'`)}, ${sql.raw(`'${MAX_IDLE}'`)}, true), ${placeholder('lock')}`);
const takeBefore = renderStatement<'lock' | 'others'>(sql`${placeholder('lock')}, ${placeholder('others')}`);

/** The statement that takes these locks, in this order. */
function takeLocks(locks: readonly SQL[]): SQL {
  return takeLast({ lock: locks.reduceRight((others, lock) => takeBefore({ lock, others })) });
}

const lookForEnds = renderStatement<'sessionId' | 'all' | 'grants' | 'duty' | 'enrolled'>(sql`
  select (select reason from ${sessionEnds} where session_id = ${placeholder('sessionId')}) as reason,
    (${placeholder('all')}) as all, (${placeholder('grants')}) as grants, (${placeholder('duty')}) as duty,
    (${placeholder('enrolled')}) as enrolled,
    current_setting(${sql.raw(`'${IDLE_TIMEOUT}'`)}) as "idleTimeout"`);
const NO_GRANTS = renderStatement(sql`'[]'::json`)({});
const NOT_ASKED = renderStatement(sql`false`)({});
const NO_DUTY = renderStatement(sql`null::text`)({});

/** The grants that the actors of changes of access rights held before their changes. */
const grantsBefore = new WeakMap<object, readonly string[]>();

/**
 * The change is confirmed by these grants of its actor, because it may remove the actor's own grants. They have to be
 * read under a lock that keeps other changes from removing them until the commit.
 */
export function confirmByGrants(transaction: Queries, grants: readonly string[]): void {
  grantsBefore.set(transaction, grants);
}

/** The changes that give an account its first factor. */
const firstFactors = new WeakSet<object>();

/**
 * The change gives the account its first factor, which its session can't have proven before. The transaction must have
 * seen that the account had none, in a way that keeps others from adding one until the commit.
 */
export function confirmAsFirstFactor(transaction: Queries): void {
  firstFactors.add(transaction);
}

/**
 * The statements are sent together. The second one has a snapshot of its own, taken when the locks are held, so it sees
 * every end that was committed before, and every later end waits for the commit. The embedded database has one session,
 * which runs one transaction after the other.
 */
export function createAccessFence(options: AccessFenceOptions): AccessFence {
  const { database, grantsOf, duty, factorDuty, finishEnd } = options;
  const hasLocks = database.embedded === null;

  async function lock(transaction: Queries, request: FastifyRequest, ended: readonly EndsOfOwner[], codes: Codes) {
    if (!hasLocks) return;
    const owners = new Map(ended.map(({ owner }) => [`${owner.audience}:${owner.subject}`, owner]));
    const { principal } = request;
    const taken = [
      ...(principal !== null && codes.length > 0 ? [lockShared({ key: accessLocks.permissions() })] : []),
      ...[...owners.values()].map((owner) => lockAlone({ key: accessLocks.sessionsOf(owner) })),
      ...(principal === null ? [] : [lockShared({ key: accessLocks.sessionsOf(principal) })]),
    ];
    await transaction.execute(takeLocks(taken));
  }

  async function look(transaction: Queries, principal: Principal, codes: Codes, request: FastifyRequest) {
    const { audience, subject, sessionId } = principal;
    const question = factorDuty?.questionAtHand(request) ?? null;
    const asked = { duty: duty?.queryAtHand(request) ?? NO_DUTY, enrolled: question?.query ?? NOT_ASKED };
    const held = grantsBefore.get(transaction);
    const grants = codes.length === 0 || held !== undefined || audience !== 'admin' ? NO_GRANTS : grantsOf(subject);
    const [found] = await rowsOf<Found>(
      transaction,
      lookForEnds({ sessionId, all: ownerEnd({ audience, subject }), grants, ...asked }),
    );
    const { all, grants: read, idleTimeout } = found!;
    // The driver decides the order of two statements that are sent together. In another order, an end could be missed.
    if (hasLocks && idleTimeout !== MAX_IDLE) throw new Error('the lock was not taken before the look');
    const reason = found!.reason ?? (all !== null && isEndedByAll(principal, all) ? all.reason : null);
    if (reason !== null) {
      // The end waits for this transaction, and the next request tries it again.
      finishEnd?.(sessionId, reason).catch(() => {});
      throw sessionEndedError(reason);
    }
    if (!codes.every((code) => isGranted(held ?? read, code))) throw new PermissionDeniedError();
    const refusal = question?.refusal(found!.enrolled && !firstFactors.has(transaction)) ?? null;
    if (refusal !== null) throw refusal;
    if (found!.duty !== null) throw new PasswordChangeRequiredError();
  }

  async function check(transaction: Queries, request: FastifyRequest, ended: readonly EndsOfOwner[]): Promise<void> {
    const { principal } = request;
    const codes = [request.routeOptions.config.permission ?? []].flat();
    await Promise.all([
      lock(transaction, request, ended, codes),
      // Read before the insert, so that ends by the request itself do not refuse it.
      principal === null ? undefined : look(transaction, principal, codes, request),
      ...ended.map(async ({ owner, ends, all }) => void (await transaction.execute(insertEnds(owner, ends, all)))),
    ]);
  }

  return {
    confirm(transaction, request) {
      const ended = endsOfChanges.get(request) ?? [];
      return request.principal === null && ended.length === 0 ? undefined : check(transaction, request, ended);
    },
  };
}
