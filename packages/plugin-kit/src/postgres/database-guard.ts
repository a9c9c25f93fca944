import { type BoundedCall, withinDeadline } from '../deadlines/index.js';
import { refusalError } from '../refusals/refusal-errors.js';
import { clientOf } from './database-client.js';
import { isUnmended, PATCH_PAGE, warnOfDriver } from './driver-warning.js';
import { settingsLookOf } from './lost-settings.js';
import { refusals } from './refusals.js';
import { findSharing, type PostgresJsClient } from './shared-sessions.js';

/**
 * Connections share the sessions of PostgreSQL, as behind a pooler in transaction mode, and postgres.js is not
 * configured for that. Its commits would be rolled back, and its statements would wait forever. Nothing was sent.
 */
export class SharedSessionsError extends refusalError(refusals, 'SESSIONS_SHARED') {
  override readonly name = 'SharedSessionsError';
  /**
   * @param missing the options that postgres.js lacks, such as `prepare: false`
   * @param needsPatch whether it also lacks the patch, without which `max_pipeline: 0` rejects every transaction
   */
  constructor(missing: readonly string[], needsPatch = false) {
    const patch = needsPatch
      ? ` and apply the patch of @sallyport/idempotency (${PATCH_PAGE}), without which max_pipeline: 0 rejects every ` +
        'transaction'
      : '';
    super(`${missing.join(' and ')} to postgres(…)${patch}, or connect to PostgreSQL itself`);
  }
}

/**
 * Runs the work after the database was checked. Rejects with {@link SharedSessionsError} instead, if the check fails.
 */
export type DatabaseGuard = <Result>(work: () => PromiseLike<Result>) => Promise<Result>;

/**
 * The limit of a check, which takes longer if PostgreSQL hangs. The work is then started anyway, and fails by itself.
 */
const LOOK_MILLIS = 1000;

const guards = new WeakMap<object, DatabaseGuard>();

/** The guard of a database that needs no check. */
const UNGUARDED: DatabaseGuard = async (work) => work();

/**
 * Every package calls it for the database or client that it was given. It warns of a postgres.js without the patch, of
 * a pool of node-postgres without listeners, and, after the first use, of a limit of either that has no effect. It
 * returns the guard of the statements. Each client is checked once, even if several packages use it. Only a postgres.js
 * without the options that a pooler needs is checked before its statements.
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

/** The call with its work guarded by {@link guardDatabase}. It is `call` itself if no check is needed. */
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
        // The check is not awaited. If it fails, the next call repeats it.
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
      // The statement itself then reports the problem.
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

/** Empty for clients other than postgres.js, and for versions without `reserve`. */
function missingOptions(client: object): readonly string[] {
  const { options, unsafe, reserve } = client as Partial<PostgresJsClient>;
  if (typeof options !== 'object' || typeof unsafe !== 'function' || typeof reserve !== 'function') return [];
  return [
    ...(options.prepare === false ? [] : ['prepare: false']),
    ...(options.max_pipeline === 0 ? [] : ['max_pipeline: 0']),
  ];
}
