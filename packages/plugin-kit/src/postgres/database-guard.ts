import { type BoundedCall, withinDeadline } from '../deadlines/index.js';
import { clientOf } from './database-client.js';
import { isUnmended, PATCH_PAGE, warnOfDriver } from './driver-warning.js';
import { settingsLookOf } from './lost-settings.js';
import { findSharing, type PostgresJsClient } from './shared-sessions.js';

/**
 * Connections share the sessions of PostgreSQL, as behind a pooler in transaction mode, and postgres.js was not told:
 * its commits would be rolled back, and its statements would wait for ever. Nothing was sent.
 */
export class SharedSessionsError extends Error {
  override readonly name = 'SharedSessionsError';
  readonly code = 'SESSIONS_SHARED';
  readonly statusCode = 503;
  /**
   * @param missing the options that postgres.js lacks, such as `prepare: false`
   * @param needsPatch it also lacks the patch, without which `max_pipeline: 0` rejects every transaction
   */
  constructor(missing: readonly string[], needsPatch = false) {
    const patch = needsPatch
      ? ` and apply the patch of @sallyport/idempotency (${PATCH_PAGE}), without which max_pipeline: 0 rejects every ` +
        'transaction'
      : '';
    super(
      'a pooler in transaction mode is between postgres.js and PostgreSQL (pool_mode = transaction): pass ' +
        `${missing.join(' and ')} to postgres(…)${patch}, or connect to PostgreSQL itself`,
    );
  }
}

/** Runs the work on a database that has been looked at, and rejects with {@link SharedSessionsError} before it. */
export type DatabaseGuard = <Result>(work: () => PromiseLike<Result>) => Promise<Result>;

/** A look takes longer where PostgreSQL hangs. The work then goes on, and fails by itself. */
const LOOK_MILLIS = 1000;

const guards = new WeakMap<object, DatabaseGuard>();

/** The guard of what is not looked at. */
const UNGUARDED: DatabaseGuard = async (work) => work();

/**
 * What each package does with the database that it was given, or with the client of it. It warns of a postgres.js
 * without the patch, of a pool of node-postgres without listeners, and, after the first use, of a limit that was given
 * to either and does not hold. It returns the guard of its statements. All once for each client, whatever number of
 * packages use it. Only a postgres.js without the options that a pooler needs is looked at before its statements.
 *
 * @param database a drizzle database, a client of postgres.js, or a pool of node-postgres
 */
export function guardDatabase(database: object): DatabaseGuard {
  const client = clientOf(database);
  if (client === null) return UNGUARDED;
  const known = guards.get(client);
  if (known !== undefined) return known;
  warnOfDriver(client);
  const guard = makeGuard(client);
  guards.set(client, guard);
  return guard;
}

/** The call with its work guarded by {@link guardDatabase}: `call` itself where there is nothing to look at. */
export function guardedCall(database: object, call: BoundedCall): BoundedCall {
  const guard = guardDatabase(database);
  if (guard === UNGUARDED) return call;
  return (work, limitMillis) => call((caller) => guard(() => work(caller)), limitMillis);
}

function makeGuard(client: object): DatabaseGuard {
  const guard = makeSharingGuard(client);
  const look = settingsLookOf(client);
  if (look === null) return guard;
  let isLooked = false;
  return (work) =>
    guard(() => {
      if (!isLooked) {
        isLooked = true;
        // Nothing waits for it. A look that fails is made again, by the next call.
        look().catch(() => {
          isLooked = false;
        });
      }
      return work();
    });
}

function makeSharingGuard(client: object): DatabaseGuard {
  const missing = missingOptions(client);
  if (missing.length === 0) return UNGUARDED;
  let isDecided = false;
  let refusal: SharedSessionsError | null = null;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    const found = await withinDeadline(findSharing(client as PostgresJsClient), LOOK_MILLIS, () => new Error('late'))
      // The statement itself then says what is the matter.
      .catch(() => 'undecided');
    looking = null;
    isDecided ||= found !== 'undecided';
    if (found !== 'shared' || refusal !== null) return;
    refusal = new SharedSessionsError(missing, isUnmended(client));
    process.emitWarning(refusal.message, { code: 'SALLYPORT_SESSIONS_SHARED' });
  }

  return async (work) => {
    if (!isDecided) {
      looking ??= look();
      await looking;
    }
    if (refusal !== null) throw refusal;
    return work();
  };
}

/** Empty for a client that is not of postgres.js, or of a version without `reserve`. */
function missingOptions(client: object): readonly string[] {
  const { options, unsafe, reserve } = client as Partial<PostgresJsClient>;
  if (typeof options !== 'object' || typeof unsafe !== 'function' || typeof reserve !== 'function') return [];
  return [
    ...(options.prepare === false ? [] : ['prepare: false']),
    ...(options.max_pipeline === 0 ? [] : ['max_pipeline: 0']),
  ];
}
