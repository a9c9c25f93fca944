import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditUnavailableError } from './errors.js';
import type { AuditLogOptions } from './options.js';
import type { RecordWriter } from './record-writer.js';
import type { AuditRecord } from './records/audit-record.js';
import { createAuditRecord, type RecordOrigin } from './records/create-audit-record.js';
import type { RefusalLimit } from './refusal-limit.js';
import { clearReply, discardPayload, statusOf } from './replaced-reply.js';
import { type AuditDetails, type AuditState, eventOf, kAudit, originOf, type RequestAudit } from './request-audit.js';
import { type CheckedRouteAudit, decisionOf } from './route-audit.js';

/** What the hooks work with. */
export interface AuditHooksContext {
  readonly options: Required<AuditLogOptions>;
  readonly writer: RecordWriter;
  readonly refusals: RefusalLimit;
  readonly nextOrigin: () => RecordOrigin;
}

/** The hooks that make a request's record and commit it, in the order in which they run. */
export function createAuditHooks({ options, writer, refusals, nextOrigin }: AuditHooksContext) {
  /** onRequest, before anything can refuse: what is refused is recorded as well. */
  function beginAudit(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
    const audit = request.is404 ? null : decisionOf(request.routeOptions.config);
    if (audit !== null) begin(request, audit);
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
        const said = { ...originOf(request, options), ...event, ...parameters };
        await writer.commit(createAuditRecord(said, nextOrigin()));
      },
      describe(details = {}) {
        const all = { ...state.described?.details, ...details };
        const record = recordOf(request, state, 200, all);
        state.described = { details: all, after: state.details, record };
        return record;
      },
    };
  }

  /** The record of the request's own operation. */
  function finalRecordOf(request: FastifyRequest, state: AuditState, status: number): AuditRecord {
    const { described, details } = state;
    if (described === null) return recordOf(request, state, status);
    // What was described may be committed although the client was told of a failure, such as after a timeout: both are
    // true, and both stay.
    if (status >= 400) return recordOf(request, { ...state, id: nextOrigin().id }, status);
    if (described.after !== details) return recordOf(request, state, status, described.details);
    // Nothing was said since: to mask it all again would make the same.
    return { ...described.record, durationMillis: Math.max(0, Math.round(options.now() - state.startedAt)) };
  }

  function recordOf(request: FastifyRequest, state: AuditState, status: number, more: AuditDetails = {}): AuditRecord {
    const { id, startedAt: occurredAt } = state;
    const event = eventOf(request, { ...state, details: { ...state.details, ...more } }, status, options);
    return createAuditRecord(event, { id, occurredAt, limits: options.parameterLimits });
  }

  /** preHandler. An operation whose record can't be committed is better not begun. One a moment gets through, and finds out. */
  function refuseUnrecordable(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    const state = request[kAudit];
    if (state !== null) state.reachedHandler = true;
    if (state === null || !isRequired(state.audit) || !writer.isAway()) {
      done();
      return;
    }
    state.isSettled = true;
    done(writer.refusalWhileAway());
  }

  function noteException(request: FastifyRequest, _reply: FastifyReply, error: unknown, done: () => void): void {
    const state = request[kAudit];
    if (state !== null) state.exception = error;
    done();
  }

  /** onSend. Once for each request: whatever becomes of the reply after it, the record says how the operation ended. */
  function commitAudit<Payload>(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Payload,
    done: (error: Error | null, payload?: Payload | string) => void,
  ): void {
    const state = request[kAudit];
    if (state === null || state.isSettled) {
      done(null, payload);
      return;
    }
    commitRecord(request, reply, payload, state).then((sent) => done(null, sent), done);
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
    const record = finalRecordOf(request, state, status);
    // 503 acknowledges nothing, and is told where stores are away: it doesn't wait for another one.
    if (!isRequired(state.audit) || status === 503) {
      writer.enqueue(record);
      return payload;
    }
    try {
      await writer.commit(record);
      return payload;
    } catch (error) {
      return refuseReply(error as AuditUnavailableError, request, reply, payload);
    }
  }

  /** Thrown, the refusal would pass by the application's error handler and this hook's successors where the reply is an error's already. */
  function refuseReply(
    error: AuditUnavailableError,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): string {
    request.log.error({ err: error }, 'an operation could not be recorded and was not acknowledged');
    discardPayload(payload);
    clearReply(reply);
    return options.unavailableReply(error, request, reply.code(error.statusCode ?? 503));
  }

  /** onResponse. A reply that the handler took over (`reply.hijack()`) passed by onSend. */
  function recordTakenOver(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const state = request[kAudit];
    if (state !== null && !state.isSettled) {
      state.isSettled = true;
      writer.enqueue(finalRecordOf(request, state, reply.raw.statusCode));
    }
    done();
  }

  function isRequired({ required }: CheckedRouteAudit): boolean {
    return (required ?? options.required) === 'before-reply';
  }

  /** A rate limit says nothing that its counters don't; and nobody may fill the log without so much as a token. */
  function isRecorded(request: FastifyRequest, state: AuditState, status: number): boolean {
    if (status < 400 || state.reachedHandler) return true;
    if (status === 429) return false;
    const isKnown = (state.details.actor ?? options.actorOf(request)) !== null;
    if (isKnown) return true;
    const isAdmitted = refusals.admits(options.clientIpOf(request) ?? '');
    recordOmitted();
    return isAdmitted;
  }

  /** How many refusals were only counted, once their minute is over or the server closes. */
  function recordOmitted(isEnd = false): void {
    const count = refusals.takeOmitted(isEnd);
    if (count === 0) return;
    const event = { action: 'audit-record.omit', outcome: 'refused', parameters: { count } } as const;
    writer.enqueue(createAuditRecord(event, nextOrigin()));
  }

  return { beginAudit, refuseUnrecordable, noteException, commitAudit, recordTakenOver, recordOmitted };
}
