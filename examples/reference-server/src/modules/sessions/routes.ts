import { Type } from '@fastify/type-provider-typebox';
import { PermissionDeniedError, type Principal, type Session } from '@sallyport/auth-tokens';
import type { StoreClock } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { NotFoundError, QueryInvalidError } from '../../http/errors.js';
import { idParams, listOf, pageQuery, readId, UUID_PATTERN } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { endSession, endSessions } from '../../protection/end-access.js';
import type { Administrators } from '../administrators/index.js';
import { assertMayEndSessions, type SessionRule } from './may-end-sessions.js';
import { noteSessions, ownerOf, subjectOf } from './session-outcomes.js';

export interface SessionDependencies extends SessionRule {
  readonly administrators: Pick<Administrators, 'findById'>;
  readonly clock: Pick<StoreClock, 'watch'>;
}

const session = Type.Object({
  id: Type.String(),
  /** The id of the administrator or app user. */
  subject: Type.String(),
  terminal: Type.Optional(Type.String()),
  clientIp: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
  issuedAt: Type.Integer(),
  lastSeenAt: Type.Integer(),
  expiresAt: Type.Integer(),
  /** Whether it is the session of this request. */
  current: Type.Boolean(),
});

const sessionQuery = Type.Object(
  {
    ...pageQuery,
    audience: Type.Union([Type.Literal('admin'), Type.Literal('app')], { default: 'admin' }),
    subject: Type.Optional(Type.String({ pattern: UUID_PATTERN })),
  },
  { additionalProperties: false },
);

/** Logout (ADM-5, TOK-3), and listing and ending of sessions (TOK-7). The caller's own sessions need no permission. */
export async function sessionRoutes(app: App, dependencies: SessionDependencies): Promise<void> {
  app.post(
    '/auth/logout',
    {
      config: { access: ['admin', 'app'], audit: { action: 'auth.logout' }, safeMode: 'served' },
      schema: {
        body: Type.Union([Type.Null(), Type.Object({}, { additionalProperties: false })]),
        response: { 204: Type.Null() },
      },
      preHandler: noteOwnSession,
    },
    async function signOut(request, reply) {
      await endSession(app, request, request.principal!.sessionId);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/admin/sessions',
    {
      config: { access: 'admin', audit: 'session' },
      schema: { querystring: sessionQuery, response: { 200: listOf(session) } },
    },
    async function listSessions(request) {
      const principal = request.principal!;
      const { page, size, audience } = request.query;
      const subject = request.query.subject?.toLowerCase() ?? (audience === 'admin' ? principal.subject : null);
      const isOwn = audience === principal.audience && subject === principal.subject;
      if (!isOwn && !(await request.hasPermission('api:admin:sessions:list'))) throw new PermissionDeniedError();
      if (subject === null) throw new QueryInvalidError([{ pointer: '/subject', detail: 'is required' }]);
      const all = await app.authTokens.sessions({ audience, subject });
      const data = all.slice((page - 1) * size, page * size).map((each) => show(each, principal));
      return { data, page: { number: page, size, total: all.length } };
    },
  );

  app.delete(
    '/admin/sessions/:id',
    {
      config: { access: 'admin', audit: { action: 'session.revoke' } },
      schema: { params: idParams, response: { 204: Type.Null() } },
      preHandler: async (request) => noteSessions(request, ownerOf(request.params.id), request.params.id),
    },
    async function endOneSession(request, reply) {
      const { id } = request.params;
      await assertMayEndSessions(request, subjectOf(ownerOf(id)), dependencies);
      if (!(await endSession(app, request, id))) throw new NotFoundError();
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/admin/administrators/:id/sessions',
    {
      config: { access: 'admin', permission: 'api:admin:sessions:end', audit: { action: 'session.revoke' } },
      schema: { params: idParams, response: { 204: Type.Null() } },
      preHandler: async (request) => noteSessions(request, `admin:${request.params.id.toLowerCase()}`),
    },
    async function endSessionsOfAdministrator(request, reply) {
      const subject = readId(request.params);
      if ((await dependencies.administrators.findById(subject)) === null) throw new NotFoundError();
      await assertMayEndSessions(request, { audience: 'admin', subject }, dependencies);
      await endSessions(app, request, { audience: 'admin', subject });
      return reply.code(204).send(null);
    },
  );
}

async function noteOwnSession(request: FastifyRequest): Promise<void> {
  const { sessionId } = request.principal!;
  noteSessions(request, ownerOf(sessionId), sessionId);
}

function show({ sessionId, audience: _audience, ...rest }: Session, principal: Principal) {
  return { ...rest, id: sessionId, current: sessionId === principal.sessionId };
}
