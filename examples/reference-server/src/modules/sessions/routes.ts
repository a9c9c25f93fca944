import { canonicalAddress } from '@sallyport/audit-log';
import { PermissionDeniedError } from '@sallyport/auth-tokens';
import type { StoreClock } from '@sallyport/ttl-store';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { ipAddressFormat } from '../../http/body-formats.js';
import { NotFoundError, QueryInvalidError } from '../../http/errors.js';
import { cursorInvalid, cursorListOf, cursorQuery, idParams, readId, UUID_PATTERN } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { endSession, endSessions } from '../../protection/end-access.js';
import { ENROLMENT, SECOND_STEP } from '../../protection/factor-duty.js';
import { type Administrators, normalizeUsername } from '../administrators/index.js';
import { assertMayEndSessions, type SessionRule } from './may-end-sessions.js';
import { isOfOwn, ofOwnAccount, ofOwnOther } from './own-sessions.js';
import { searchSessions, type UserNames } from './search-sessions.js';
import { noteSessions, ownerOf, subjectOf } from './session-outcomes.js';
import { session, show } from './shown-session.js';

export interface SessionDependencies extends SessionRule, Pick<UserNames, 'appUserNames'> {
  readonly administrators: Pick<Administrators, 'findById' | 'findByUsername' | 'namesOf'>;
  readonly clock: Pick<StoreClock, 'watch'>;
}

const sessionQuery = Type.Object(
  {
    ...cursorQuery,
    scope: Type.Union([Type.Literal('subject'), Type.Literal('all')], { default: 'subject' }),
    audience: Type.Optional(Type.Union([Type.Literal('admin'), Type.Literal('app')])),
    subject: Type.Optional(Type.String({ pattern: UUID_PATTERN })),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' })),
    address: Type.Optional(Type.String({ format: ipAddressFormat })),
  },
  { additionalProperties: false },
);

type SessionQuery = Static<typeof sessionQuery>;

/** A position in the order of sessions, from `findSessions` of auth-tokens. */
const CURSOR = /^[0-9]{14}\.[A-Za-z0-9_.-]{1,400}$/;

/** Logout (ADM-5, TOK-3), and listing and ending of sessions (TOK-7). The caller's own sessions need no permission. */
export async function sessionRoutes(app: App, dependencies: SessionDependencies): Promise<void> {
  app.post(
    '/auth/logout',
    {
      config: {
        access: ['admin', 'app'],
        audit: { action: 'auth.logout' },
        ends: true,
        safeMode: 'served',
        beforePasswordChange: 'served',
        sessionPurposes: [SECOND_STEP, ENROLMENT],
      },
      schema: {
        body: Type.Union([Type.Null(), Type.Object({}, { title: 'SignOut', additionalProperties: false })]),
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
      schema: { querystring: sessionQuery, response: { 200: cursorListOf(session) } },
    },
    async function listSessions(request) {
      return request.query.scope === 'all' ? listAll(request, request.query) : listOfSubject(request, request.query);
    },
  );

  /** API-4: the sessions of all users. */
  async function listAll(request: FastifyRequest, query: SessionQuery) {
    if (!(await request.hasPermission('api:admin:sessions:list'))) throw new PermissionDeniedError();
    refuse(query, ['subject'], 'is for scope=subject only, user is for scope=all');
    const { audience, user, after, size } = query;
    if (after !== undefined && !CURSOR.test(after)) throw cursorInvalid();
    const address = canonicalAddress(query.address) ?? undefined;
    const names = { ...dependencies, normalizeUsername, assertMaySearchNumbers: () => assertMayFindAppUsers(request) };
    const { sessions, next } = await searchSessions(app, names, { audience, user, address, after, size });
    const data = sessions.map(({ session, userName }) => ({ ...show(session, request.principal!), userName }));
    return { data, page: { size, next } };
  }

  /** TOK-7: the sessions of one subject, the most recently seen one first. They are few, so they need no cursor. */
  async function listOfSubject(request: FastifyRequest, query: SessionQuery) {
    refuse(query, ['user', 'address', 'after'], 'is for scope=all only');
    const principal = request.principal!;
    const { page, size, audience = 'admin' } = query;
    const subject = query.subject?.toLowerCase() ?? (audience === 'admin' ? principal.subject : null);
    const isOwn = audience === principal.audience && subject === principal.subject;
    if (!isOwn && !(await request.hasPermission('api:admin:sessions:list'))) throw new PermissionDeniedError();
    if (subject === null) throw new QueryInvalidError([{ pointer: '/subject', detail: 'is required' }]);
    const all = await app.authTokens.sessions({ audience, subject });
    const data = all.slice((page - 1) * size, page * size).map((each) => show(each, principal));
    return { data, page: { number: page, size, total: all.length, next: null } };
  }

  await appSessionRoutes(app);

  app.delete(
    '/admin/sessions/:id',
    {
      config: { access: 'admin', stepUp: ofOwnOther, ends: true, audit: { action: 'session.revoke' } },
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
      config: {
        access: 'admin',
        permission: 'api:admin:sessions:end',
        stepUp: ofOwnAccount,
        ends: true,
        audit: { action: 'session.revoke' },
      },
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

/** API-4: an app user's own sessions. All of them are ended by `DELETE /app/sessions`. */
async function appSessionRoutes(app: App): Promise<void> {
  app.get(
    '/app/sessions',
    {
      config: { access: 'app', audit: 'session' },
      schema: { response: { 200: Type.Object({ data: Type.Array(session) }, { title: 'OwnSessionList' }) } },
    },
    async function listOwnSessions({ principal }) {
      const { audience, subject } = principal!;
      return { data: (await app.authTokens.sessions({ audience, subject })).map((each) => show(each, principal!)) };
    },
  );

  app.delete(
    '/app/sessions/:id',
    {
      config: { access: 'app', stepUp: ofOwnOther, ends: true, audit: { action: 'session.revoke' } },
      schema: { params: idParams, response: { 204: Type.Null() } },
      preHandler: async (request) => noteSessions(request, ownerOf(request.params.id), request.params.id),
    },
    async function endOwnSession(request, reply) {
      const { id } = request.params;
      if (!isOfOwn(request, id) || !(await endSession(app, request, id))) throw new NotFoundError();
      return reply.code(204).send(null);
    },
  );
}

async function noteOwnSession(request: FastifyRequest): Promise<void> {
  const { sessionId } = request.principal!;
  noteSessions(request, ownerOf(sessionId), sessionId);
}

async function assertMayFindAppUsers(request: FastifyRequest): Promise<void> {
  if (!(await request.hasPermission('api:admin:app-users:list'))) throw new PermissionDeniedError();
}

/** An ignored filter would show sessions that were not meant. */
function refuse(query: SessionQuery, names: readonly (keyof SessionQuery)[], detail: string): void {
  const given = names.filter((name) => query[name] !== undefined);
  if (given.length > 0) throw new QueryInvalidError(given.map((name) => ({ pointer: `/${name}`, detail })));
}
