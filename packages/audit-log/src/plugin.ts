import type { FastifyBaseLogger, FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';
import { createAuditHooks } from './audit-hooks.js';
import { AuditSetupError } from './errors.js';
import { type AuditLogOptions, checkOptions } from './options.js';
import { type AuditHealth, createRecordWriter, type WriterTrouble } from './record-writer.js';
import type { AuditRecord } from './records/audit-record.js';
import { type AuditEvent, createAuditRecord } from './records/create-audit-record.js';
import { createRecordIds } from './records/record-ids.js';
import { createRefusalLimit } from './refusal-limit.js';
import { type AuditState, kAudit, type RequestAudit } from './request-audit.js';
import { kRouteAudit, type RouteAudit, readRouteAudit } from './route-audit.js';
import { earlierRoutes, undecidedFaults } from './start-checks.js';

/** `fastify.auditLog`. */
export interface AuditLog {
  /**
   * Commits the record of something that no request does, such as a job. Resolves once it is committed.
   *
   * @throws AuditUnavailableError
   */
  record(event: AuditEvent): Promise<void>;
  /** The record of an event, for a sink that writes it in a transaction. */
  createRecord(event: AuditEvent): AuditRecord;
  health(): AuditHealth;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Records of what happens beside requests, and how it goes with writing. */
    readonly auditLog: AuditLog;
  }
  interface FastifyRequest {
    /** Says more about the request's record. Null on routes with `config.audit: false` and for unknown paths. */
    audit: RequestAudit | null;
    [kAudit]: AuditState | null;
  }
  interface FastifyContextConfig {
    /** What is recorded of the route. Every route needs a decision. Requirement AUD-1. */
    audit?: RouteAudit;
  }
}

async function auditLogPlugin(fastify: FastifyInstance, given: AuditLogOptions): Promise<void> {
  const options = checkOptions(given);
  const early = earlierRoutes(fastify);
  if (early.length > 0) throw new AuditSetupError([`register it before every route; found ${early.join(', ')}`]);

  const { now, parameterLimits: limits, anonymousRefusalsPerMinute } = options;
  const nextId = createRecordIds(now);
  const nextOrigin = () => ({ id: nextId(), occurredAt: now(), limits });
  const writer = createRecordWriter({ ...options, warn: (trouble) => logTrouble(fastify.log, trouble) });
  const refusals = createRefusalLimit(anonymousRefusalsPerMinute, now);
  const createRecord = (event: AuditEvent) => createAuditRecord(event, nextOrigin());
  fastify.decorate('auditLog', {
    record: (event) => writer.commit(createRecord(event)),
    createRecord,
    health: () => ({ ...writer.health(), omitted: refusals.omitted() }),
  } satisfies AuditLog);
  fastify.decorateRequest('audit', null);
  fastify.decorateRequest(kAudit, null);

  const routeFaults = new Map<string, string>();
  fastify.addHook('onRoute', function noteDecision(route: RouteOptions) {
    const methods = [route.method].flat();
    const decision = route.config?.audit;
    if (decision === undefined && methods.every((method) => method === 'OPTIONS')) return;
    const { audit, fault } = readRouteAudit(decision);
    if (fault !== null) routeFaults.set(`${methods.join(', ')} ${route.url}`, fault);
    route.config = Object.assign({}, route.config, { [kRouteAudit]: audit });
  });
  fastify.addHook('onReady', async function refuseUndecided() {
    const faults = undecidedFaults(routeFaults);
    if (faults.length > 0) throw new AuditSetupError(faults);
  });

  const hooks = createAuditHooks({ options, writer, refusals, nextOrigin });
  fastify.addHook('onRequest', hooks.beginAudit);
  fastify.addHook('preHandler', hooks.refuseUnrecordable);
  fastify.addHook('onError', hooks.noteException);
  fastify.addHook('onSend', hooks.commitAudit);
  fastify.addHook('onResponse', hooks.recordTakenOver);
  fastify.addHook('onClose', async function closeAudit() {
    hooks.recordOmitted(true);
    await writer.close();
  });
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
      log.error({ count: trouble.count }, 'audit records of replies that had left are lost');
      return;
  }
}

/** Records what every route does, before its reply leaves. Register it before every route. */
export const auditLog = fp(auditLogPlugin, { fastify: '5.x', name: '@sallyport/audit-log' });
