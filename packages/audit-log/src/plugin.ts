import { withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { coverRoutes, requireFreeNames, stopsStart } from '@sallyport/plugin-kit/routes';
import type { FastifyBaseLogger, FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { type AuditHooks, createAuditHooks } from './audit-hooks.js';
import { AuditSetupError } from './errors.js';
import { type AuditLogOptions, readAuditLogOptions } from './options.js';
import { type AuditHealth, createRecordWriter, type WriterTrouble } from './record-writer.js';
import {
  type AuditEvent,
  type AuditRecord,
  createRecordIds,
  createRefusalLimit,
  makeAuditRecord,
} from './records/index.js';
import { type AuditState, kAudit, type RequestAudit } from './request-audit.js';
import { type CheckedRouteAudit, declaresAudit, type RouteAudit, readRouteAudit } from './route-audit.js';

/** `fastify.auditLog`. */
export interface AuditLog {
  /**
   * Commits the record of an event outside of requests, such as a job. Resolves once it is committed.
   *
   * @throws AuditUnavailableError
   */
  record(event: AuditEvent): Promise<void>;
  /** Makes the record of an event, for `appendWithin` of a sink. */
  createRecord(event: AuditEvent): AuditRecord;
  health(): AuditHealth;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Records of events outside of requests, and the health of the writer. */
    readonly auditLog: AuditLog;
  }
  interface FastifyRequest {
    /** Adds details to the request's record. Null on routes with `config.audit: false` and for unknown paths. */
    audit: RequestAudit | null;
    [kAudit]: AuditState | null;
  }
  interface FastifyContextConfig {
    /** The audit decision of the route. Required for every route. */
    audit?: RouteAudit;
  }
}

const PLACE = { subject: 'audit-log', SetupError: AuditSetupError };

async function auditLogPlugin(fastify: FastifyInstance, given: AuditLogOptions): Promise<void> {
  const options = readAuditLogOptions(given);
  if (options.scope === 'app') refuseAfterAuthentication(fastify);
  const beginning = new WeakSet<CheckedRouteAudit>();
  const routes = coverRoutes<CheckedRouteAudit | null>(fastify, {
    ...PLACE,
    scope: options.scope,
    allowEarlierRoutes: options.allowEarlierRoutes,
    members: ['audit'],
    declares: declaresAudit,
    read: (route) => readRouteAudit(route, options),
    // Placed after the preHandlers of the application, so that requests that they refuse are not begun.
    prepare(route, audit) {
      if (audit === null) return;
      observeHandler(route, hooks);
      route.preHandler = [route.preHandler ?? [], hooks.beginBeforeHandler].flat();
      if (audit.changes === 'outside') route.handler = hooks.beginningBefore(route.handler);
      beginning.add(audit);
    },
    coversEarlier: true,
  });
  requireFreeNames(fastify, PLACE, { fastify: ['auditLog'], request: ['audit'] });
  const { now, parameterLimits: limits, anonymousRefusalsPerMinute } = options;
  const nextId = createRecordIds(now);
  const nextOrigin = () => ({ id: nextId(), occurredAt: now(), limits });
  const writer = createRecordWriter({ ...options, warn: (trouble) => logTrouble(fastify.log, trouble) });
  const refusals = createRefusalLimit(anonymousRefusalsPerMinute, now);
  const createRecord = (event: AuditEvent) => makeAuditRecord(event, nextOrigin());
  fastify.decorate('auditLog', {
    record: (event) => writer.commit(createRecord(event)),
    createRecord,
    health: () => ({ ...writer.health(), omitted: refusals.omitted(), open: hooks.open() }),
  } satisfies AuditLog);
  fastify.decorateRequest('audit', null);
  fastify.decorateRequest(kAudit, null);

  const hooks = createAuditHooks({
    fastify,
    options,
    writer,
    refusals,
    nextOrigin,
    decisionOf: (request) => routes.of(request),
    beginsItself: (audit) => beginning.has(audit),
  });

  fastify.addHook('onRequest', hooks.beginAudit);
  fastify.addHook('preHandler', hooks.refuseUnrecordable);
  fastify.addHook('onError', hooks.noteException);
  fastify.addHook('onSend', hooks.commitAudit);
  fastify.addHook('onReady', () => refuseUnusable(options));
  fastify.addHook('onClose', async function closeAudit() {
    await lastConnectionsClosed();
    await hooks.settled();
    hooks.recordOmitted(true);
    await writer.close();
  });
}

/** A sink that is only unavailable does not refuse the start. @throws AuditSetupError such as for a missing table */
async function refuseUnusable({ sink, commitTimeoutMillis }: Required<AuditLogOptions>): Promise<void> {
  if (sink.check === undefined) return;
  const checked = withinDeadline(sink.check(), commitTimeoutMillis, () => new Error('The sink has not answered'));
  await checked.catch((error: unknown) => {
    if (error instanceof AuditSetupError) throw error;
  });
}

/** Node.js reports the end of a server before the ends of its last connections, which follow at most one turn later. */
async function lastConnectionsClosed(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * If an error handler answers 200, onError is not called, so only this wrapper sees the error of the handler. It is
 * also the only way to see the end of a handler whose client has disconnected.
 */
function observeHandler(
  route: RouteOptions,
  { noteThrown, noteReturned }: Pick<AuditHooks, 'noteThrown' | 'noteReturned'>,
): void {
  const { handler } = route;
  route.handler = function observed(request, reply) {
    const fail = (error: unknown): never => {
      noteThrown(request, reply, error);
      throw error;
    };
    const succeed = (value: unknown) => {
      noteReturned(request, reply, value);
      return value;
    };
    try {
      const result: unknown = handler.call(this, request, reply);
      return result instanceof Promise ? result.then(succeed, fail) : result;
    } catch (error) {
      return fail(error);
    }
  };
}

/** The hooks of auth-tokens would refuse requests before their record begins. Requirement AUD-1. */
function refuseAfterAuthentication(fastify: FastifyInstance): void {
  if (!fastify.hasDecorator('authTokens')) return;
  throw new AuditSetupError('audit-log', [
    'it is registered after auth-tokens, whose refusals would not be recorded. Register audit-log before auth-tokens. ' +
      "With @fastify/autoload, give the plugin that registers auth-tokens dependencies: ['audit'], the name of the " +
      'plugin that registers audit-log',
  ]);
}

function logTrouble(log: FastifyBaseLogger, trouble: WriterTrouble): void {
  switch (trouble.kind) {
    case 'sink-away':
      log.error({ err: trouble.cause }, 'audit records cannot be committed: operations are refused');
      return;
    case 'sink-back':
      log.info('audit records can be committed again');
      return;
    case 'records-lost':
      log.error({ count: trouble.count }, 'audit records are lost whose replies were sent already');
      return;
  }
}

/**
 * Records the operation of every route before its reply leaves. Register it before every route, with `await`.
 *
 * @example
 * ```ts
 * import auditLog from '@sallyport/audit-log';
 * import { createFileSink } from '@sallyport/audit-log/file';
 * import Fastify from 'fastify';
 *
 * const app = Fastify({ logger: true });
 * await app.register(auditLog, { sink: await createFileSink({ path: 'audit.ndjson' }) });
 *
 * // payment.create, with the body as parameters; a password in it would be masked.
 * app.post('/payments', { config: { audit: 'payment' } }, async (request, reply) => {
 *   request.audit?.set({ actor: 'admin:42', target: 'payment-1' });
 *   return reply.code(201).send({ data: { id: 'payment-1' } });
 * });
 * ```
 */
export const auditLog = fp(stopsStart(auditLogPlugin), { fastify: '5.x', name: '@sallyport/audit-log' });
