import type { EndReason, IssuedToken, IssueInput, SubjectKey } from '@sallyport/auth-tokens';
import type { FastifyRequest } from 'fastify';
import type { App } from '../http/module.js';
import { type AccessFence, type AccessFenceOptions, createAccessFence, endsOfChange } from './access-fence.js';

/** Sessions are not part of the transaction of a change, so the record of the request is committed before (AUD-8). */
type Recorded = FastifyRequest;

/** An account with the name under which its sign-ins are counted. */
export interface AccountAccess extends SubjectKey {
  readonly audience: 'admin' | 'app';
  readonly username: string;
}

/**
 * Ends every access to an account without its password: all sessions and all device tokens (TOK-6, LGN-12). Rejects if
 * they can't be ended, or if the record can't be begun; in that case nothing was ended. Call it before the change to
 * which it belongs, which commits the ends, and again after the change.
 */
export async function endAccess(
  app: App,
  request: Recorded,
  { audience, subject, username }: AccountAccess,
  reason: EndReason,
): Promise<void> {
  const policy = audience === 'admin' ? app.loginPolicy : app.appLoginPolicy;
  await begin(request);
  await Promise.all([
    app.authTokens.revokeAll({ audience, subject }, reason, endsOfChange(request)),
    policy.forgetDevices({ username }),
  ]);
}

/** Ends all sessions of an owner. Device tokens stay. */
export async function endSessions(app: App, request: Recorded, owner: SubjectKey): Promise<void> {
  await begin(request);
  await app.authTokens.revokeAll(owner);
}

/** The number of characters of a session id that identify it among those of its owner. */
const ID_START_LENGTH = 8;

/** The sessions of an owner, as `audience:subject`, that are ended, one or all, for the record of their end. */
export function detailOfSessions(owner: string, sessionId?: string): { readonly detail: object } {
  return { detail: { owner, ...(sessionId !== undefined && { idStart: sessionId.slice(0, ID_START_LENGTH) }) } };
}

/** Ends one session. Resolves to false if there is none. */
export async function endSession(app: App, request: Recorded, sessionId: string): Promise<boolean> {
  await begin(request);
  return app.authTokens.revoke(sessionId);
}

/** Opens a session in place of another one, which ends in the same write. Rejects if that one has ended. */
export async function replaceSession(
  app: App,
  request: Recorded,
  input: IssueInput & Required<Pick<IssueInput, 'replaces'>>,
): Promise<IssuedToken> {
  await begin(request);
  return app.authTokens.issue(input);
}

/**
 * The fence of changes, which finishes ends. An end that failed between database and store would leave a session that
 * can read, but not log out. The request that began the end has begun its record.
 */
export function createFinishingFence(
  app: Pick<App, 'authTokens'>,
  options: Omit<AccessFenceOptions, 'finishEnd'>,
): AccessFence {
  return createAccessFence({ ...options, finishEnd: (id, reason) => app.authTokens.revoke(id, reason) });
}

/** Has no effect if the record is already begun. Fails on a route without a record. */
async function begin({ audit, routeOptions }: Recorded): Promise<void> {
  if (routeOptions.config.ends !== true) throw new TypeError('A route that ends sessions needs config.ends');
  await audit!.begin();
}
