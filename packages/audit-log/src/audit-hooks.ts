import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { AuditUnavailableError } from './errors.js';
import type { AuditLogOptions } from './options.js';
import type { RecordWriter } from './record-writer.js';
import { type AuditRecord, makeAuditRecord, type RecordOrigin, wholeMillis, withDuration } from './records/index.js';
import type { RefusalLimit } from './refusal-limit.js';
import { clearReply, discardPayload, statusOf } from './replaced-reply.js';
import {
  type AuditDetails,
  type AuditState,
  eventOf,
  idOf,
  kAudit,
  noteUnchanged,
  originOf,
  type RequestAudit,
  type RequestChange,
  stateOf,
} from './request-audit.js';
import type { CheckedRouteAudit } from './route-audit.js';

export interface AuditHooksDependencies {
  readonly options: Required<AuditLogOptions>;
  readonly writer: RecordWriter;
  readonly refusals: RefusalLimit;
  readonly nextOrigin: () => RecordOrigin;
  /** The decision of a request's route. Undefined or null: nothing is recorded. */
  readonly decisionOf: (request: FastifyRequest) => CheckedRouteAudit | null | undefined;
  /** Whether the route has `beginBeforeHandler`. Routes that are older than the plugin lack it. */
  readonly beginsItself: (audit: CheckedRouteAudit) => boolean;
}

/** The hooks that make and commit the record of a request, in the order in which they run. */
export function createAuditHooks(dependencies: AuditHooksDependencies) {
  const { options, writer, refusals, nextOrigin, decisionOf, beginsItself } = dependencies;

  /** onRequest, before other plugins can refuse the request: refusals are recorded as well. */
  function beginAudit(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    const audit = decisionOf(request) ?? null;
    if (audit !== null) begin(request, audit);
    else request.audit ??= null;
    done();
  }

  function begin(request: FastifyRequest, audit: CheckedRouteAudit): void {
    const { id, occurredAt: startedAt } = nextOrigin();
    const state: AuditState = {
      audit,
      id,
      startedAt,
      details: {},
      exception: null,
      reachedHandler: false,
      described: null,
      begun: 'no',
      change: 'none',
      isSettled: false,
    };
    request[kAudit] = state;
    request.audit = requestAuditOf(request, state);
  }

  function requestAuditOf(request: FastifyRequest, state: AuditState): RequestAudit {
    return {
      set(details) {
        state.details = { ...state.details, ...details };
      },
      async record({ detail, ...event }) {
        const parameters = detail === undefined ? {} : { parameters: { detail } };
        await writer.commit(makeAuditRecord({ ...originOf(request, options), ...event, ...parameters }, nextOrigin()));
      },
      withOrigin: (event) => ({ ...originOf(request, options), ...event }),
      describe: (details) => describe(request, state, details),
      begin: (details) => beginRecord(request, state, details),
      startChange: () => startChange(request, state),
    };
  }

  function describe(request: FastifyRequest, state: AuditState, details: AuditDetails = {}): AuditRecord {
    const described = { ...state.described?.details, ...details };
    // The record of the reply is made already, so this one needs another id.
    const id = state.isSettled ? nextOrigin().id : idOf(state);
    const record = recordOf(request, { ...state, id }, 200, described);
    state.described = { details: described, after: state.details, record };
    return record;
  }

  async function beginRecord(request: FastifyRequest, state: AuditState, details: AuditDetails = {}): Promise<void> {
    if (state.begun === 'yes') return;
    state.details = { ...state.details, ...details };
    const unknown = recordOf(request, { ...state, details: { ...state.details, outcome: 'unknown' } }, 200);
    state.begun = 'failed';
    await (options.begin(unknown, request) ?? writer.begin(unknown));
    state.begun = 'yes';
  }

  function startChange(request: FastifyRequest, state: AuditState): RequestChange {
    if (state.change !== 'none') throw new TypeError('A request makes one change with its own record');
    if (state.isSettled) throw new TypeError('The record of the request is made already');
    state.change = 'started';
    return {
      describe: (details) => describe(request, state, details),
      committed() {
        state.change = 'committed';
      },
      rolledBack() {
        state.change = 'none';
        state.described = null;
      },
    };
  }

  /** The record of the request's own operation. */
  function finalRecordOf(request: FastifyRequest, state: AuditState, status: number): AuditRecord {
    const { described, details, begun, change } = state;
    const id = idOf(state);
    if (described === null && change === 'none') {
      // What was begun may have taken effect although the reply is a failure.
      const isUnknown = begun === 'yes' && status >= 500 && details.outcome === undefined;
      if (!isUnknown) return recordOf(request, { ...state, id }, status);
      return recordOf(request, { ...state, details: { ...details, outcome: 'unknown' } }, status);
    }
    // The described record may be committed although the reply is a failure, such as after a timeout: keep both
    // records.
    if (status >= 400) return recordOf(request, { ...state, id: nextOrigin().id }, status);
    if (described === null) return recordOf(request, { ...state, id }, status);
    if (described.after !== details) return recordOf(request, { ...state, id }, status, described.details);
    // The details are the same: reuse the masked and canonical form of the described record.
    return withDuration(described.record, wholeMillis(options.now() - state.startedAt));
  }

  function recordOf(request: FastifyRequest, state: AuditState, status: number, more: AuditDetails = {}): AuditRecord {
    const { id, startedAt: occurredAt } = state;
    const event = eventOf(request, { ...state, details: { ...state.details, ...more } }, status, options);
    return makeAuditRecord(event, { id, occurredAt, limits: options.parameterLimits });
  }

  /**
   * preHandler. While the sink is away, an operation whose record is required is not begun. One request per retry
   * interval passes and probes the sink.
   */
  function refuseUnrecordable(
    request: FastifyRequest,
    _reply: FastifyReply,
    done: (error?: Error) => void,
  ): void | Promise<void> {
    const state = stateOf(request);
    if (state === null) return done();
    state.reachedHandler = true;
    if (isRequired(state.audit) && writer.isAway()) {
      state.isSettled = true;
      return done(writer.refusalWhileAway());
    }
    const { audit } = state;
    return audit.changes !== 'outside' || beginsItself(audit) ? done() : beginRecord(request, state);
  }

  /** The last preHandler of a route that changes something outside of the log's database. */
  async function beginBeforeHandler(request: FastifyRequest): Promise<void> {
    await request.audit?.begin();
  }

  /** For a route that has lost `beginBeforeHandler`, since an onRoute hook replaced its preHandlers. */
  function beginningBefore(handler: RouteHandlerMethod): RouteHandlerMethod {
    return function audited(request, reply) {
      const handle = (): unknown => handler.call(this, request, reply);
      const state = stateOf(request);
      if (state === null || state.begun !== 'no') return handle();
      return beginRecord(request, state).then(async () => (await handle()) ?? reply);
    };
  }

  function noteException(request: FastifyRequest, _reply: FastifyReply, error: unknown, done: () => void): void {
    noteFailure(request, error);
    done();
  }

  function noteFailure(request: FastifyRequest, error: unknown): void {
    const state = stateOf(request);
    if (state !== null) state.exception = error;
  }

  /** onSend, once per request. The record says how the operation ended, even if a later hook replaces the reply. */
  function commitAudit<Payload>(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Payload,
    done: (error: Error | null, payload?: Payload | string) => void,
  ) {
    const state = stateOf(request);
    if (state === null || state.isSettled) return done(null, payload);
    // Not `done` after a promise: what Fastify throws in it, such as for a wrong header, would end the process.
    return commitRecord(request, reply, payload, state);
  }

  async function commitRecord<Payload>(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Payload,
    state: AuditState,
  ): Promise<Payload | string> {
    state.isSettled = true;
    const status = statusOf(reply, payload);
    if (!isRecorded(request, state, status)) return payload;
    noteUnchanged(request, state, status);
    const record = finalRecordOf(request, state, recordedStatus(state, status));
    // A 503 confirms nothing and is sent while stores are away: it doesn't wait for the sink as well.
    if (!isRequired(state.audit) || status === 503) {
      writer.enqueue(record);
      return payload;
    }
    try {
      await writer.commit(record);
      return payload;
    } catch (error) {
      // The record was committed with the change: the sink completes it when it can.
      if (state.change === 'committed' && status < 400) return payload;
      // Its begun record is committed: the outcome follows when the sink is back.
      if (state.begun === 'yes') writer.enqueue(record);
      return refuseReply(error as AuditUnavailableError, request, reply, payload);
    }
  }

  /** An error handler may answer 200 where the handler failed: the record says how the operation ended. */
  function recordedStatus({ exception }: AuditState, status: number): number {
    if (status >= 400 || exception === null) return status;
    const own = (exception as { readonly statusCode?: unknown } | undefined)?.statusCode;
    return typeof own === 'number' ? own : 500;
  }

  /**
   * Replaces the reply. A thrown error would skip the error handler and later hooks where the reply is an error
   * already.
   */
  function refuseReply(
    error: AuditUnavailableError,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): string {
    request.log.error({ err: error }, 'an operation could not be recorded and was not confirmed');
    discardPayload(payload);
    clearReply(reply);
    return options.unavailableReply(error, request, reply.code(error.statusCode ?? 503));
  }

  /** onResponse. For a reply that the handler took over (`reply.hijack()`) onSend is not called. */
  function recordTakenOver(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const state = stateOf(request);
    if (state !== null && !state.isSettled) {
      state.isSettled = true;
      writer.enqueue(finalRecordOf(request, state, reply.raw.statusCode));
    }
    done();
  }

  function isRequired({ required, changes }: CheckedRouteAudit): boolean {
    return changes !== 'nothing' || (required ?? options.required) === 'before-reply';
  }

  /** Rate limits (429) are not recorded: they have counters. Unknown clients must not be able to fill the log. */
  function isRecorded(request: FastifyRequest, state: AuditState, status: number): boolean {
    if (status < 400 || state.reachedHandler) return true;
    if (status === 429) return false;
    const isKnown = (state.details.actor ?? options.actorOf(request)) !== null;
    if (isKnown) return true;
    const isAdmitted = refusals.admits(options.clientIpOf(request) ?? '');
    recordOmitted();
    return isAdmitted;
  }

  /** Records how many refusals were only counted, when their minute is over or the server closes. */
  function recordOmitted(isEnd = false): void {
    const count = refusals.takeOmitted(isEnd);
    if (count === 0) return;
    const event = { action: 'audit-record.omit', outcome: 'refused', parameters: { count } } as const;
    writer.enqueue(makeAuditRecord(event, nextOrigin()));
  }

  return {
    beginAudit,
    refuseUnrecordable,
    beginBeforeHandler,
    beginningBefore,
    noteException,
    noteFailure,
    commitAudit,
    recordTakenOver,
    recordOmitted,
  };
}
