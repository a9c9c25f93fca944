import { PermissionDeniedError, type SubjectKey } from '@sallyport/auth-tokens';
import type { FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
import { NotFoundError } from '../../http/errors.js';
import { type ReadableDatabase, withinLimit } from '../../storage/database.js';
import type { AccessControl } from '../roles/index.js';

/** The functions that the rule reads. */
export interface SessionRule {
  readonly database: ReadableDatabase;
  readonly access: Pick<AccessControl, 'assertMayChange'>;
}

/**
 * Checks that the sender of the request may end sessions of the owner (TOK-7, TOK-12). The sender's own sessions need
 * no permission. For sessions of others, the rule for changing their account applies: the sender has to hold every
 * grant of an administrator, and needs the permission to change an app user.
 *
 * @throws {PermissionDeniedError}
 * @throws {GrantNotHeldError}
 */
export async function assertMayEndSessions(
  request: Pick<FastifyRequest, 'principal' | 'hasPermission'>,
  { audience, subject }: SubjectKey,
  { database, access }: SessionRule,
): Promise<void> {
  const actor = request.principal!;
  if (audience === actor.audience && subject === actor.subject) return;
  if (!(await request.hasPermission('api:admin:sessions:end'))) throw new PermissionDeniedError();
  if (!isUuid(subject)) throw new NotFoundError();
  if (audience === 'admin') return withinLimit(access.assertMayChange(database.reading, actor.subject, subject));
  if (!(await request.hasPermission('api:admin:app-users:update'))) throw new PermissionDeniedError();
}
