import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { AuditUnavailableError } from './errors.js';
import type { AuditLogOptions } from './options.js';
import type { RecordWriter } from './record-writer.js';
import { makeAuditRecord, type RecordOrigin, type RefusalLimit } from './records/index.js';
import { clearReply, createReplyEnds, discardPayload, isUpgrade, statusOf } from './replies/index.js';
import {
  type AuditDetails,
  type AuditState,
  confirmationOf,
  kAudit,
  noteConfirmation,
  noteUnchanged,
  originOf,
  type RequestAudit,
  type RequestChange,
  stateOf,
} from './request-audit.js';
import { createRequestRecords, recordedStatus } from './request-records.js';
import { type CheckedRouteAudit, READING_METHODS } from './route-audit.js';

export interface AuditHooksDependencies {
  readonly fastify: FastifyInstance;
  readonly options: Required<AuditLogOptions>;
  readonly writer: RecordWriter;
  readonly refusals: RefusalLimit;
  readonly nextOrigin: () => RecordOrigin;
  /** The decision of a request's route. Undefined or null: nothing is recorded. */
  readonly decisionOf: (request: FastifyRequest) => CheckedRouteAudit | null | undefined;
  /** Whether the route has `beginBeforeHandler`. Routes that were registered before the plugin lack it. */
  readonly beginsItself: (audit: CheckedRouteAudit) => boolean;
}

/** The hooks that make and commit the record of a request, in order. */
export function createAuditHooks(dependencies: AuditHooksDependencies) {
  const { fastify, options, writer, refusals, nextOrigin, decisionOf, beginsItself } = dependencies;
  const records = createRequestRecords({ options, nextOrigin });
  const ends = createReplyEnds({
    ...{ fastify, writer, records },
    isRequired: ({ audit }) => isRequired(audit),
    isRecorded,
    refusalOf(error, request, reply) {
      const body = refusalBody(error, request, reply);
      const length = { 'content-length': Buffer.byteLength(body) };
      return { status: reply.statusCode, headers: { ...reply.getHeaders(), ...length }, body };
    },
  });

  /** onRequest, before other plugins can refuse the request, so that refusals are recorded as well. */
  function beginAudit(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const audit = decisionOf(request) ?? null;
    if (audit !== null) begin(request, reply, audit);
    else request.audit ??= null;
    done();
  }

  function begin(request: FastifyRequest, reply: FastifyReply, audit: CheckedRouteAudit): void {
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
      mayHaveChanged: false,
      change: 'none',
      hasReturned: false,
      takeOver: null,
      isClosed: false,
      isRefuted: false,
      isSettled: false,
    };
    request[kAudit] = state;
    request.audit = requestAuditOf(request, state);
    ends.watch(request, reply, state);
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
      describe: (details) => records.describe(request, state, details),
      begin: (details) => beginRecord(request, state, details),
      startChange: () => startChange(request, state),
    };
  }

  async function beginRecord(request: FastifyRequest, state: AuditState, details: AuditDetails = {}): Promise<void> {
    if (state.mayHaveChanged) return;
    state.details = { ...state.details, ...details };
    const unknown = records.begun(request, state);
    state.begun = 'pending';
    try {
      await (options.begin(unknown, request) ?? writer.begin(unknown));
    } catch (error) {
      state.begun = 'failed';
      throw error;
    }
    state.begun = 'yes';
    state.mayHaveChanged = true;
  }

  function startChange(request: FastifyRequest, state: AuditState): RequestChange {
    if (state.change !== 'none') throw new TypeError('A request makes one change with its own record');
    if (state.isSettled) throw new TypeError('The record of the request is made already');
    state.change = 'started';
    return {
      describe: (details) => records.describe(request, state, details),
      committed() {
        state.change = 'committed';
      },
      rolledBack() {
        state.change = 'none';
        state.described = null;
      },
    };
  }

  /**
   * preHandler. While the sink is unavailable, an operation whose record is required is not begun. One request per
   * retry interval passes and probes the sink.
   */
  function refuseUnrecordable(
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void | Promise<void> {
    const state = stateOf(request);
    if (state === null) return done();
    ends.noteReached(request, state);
    if (isRequired(state.audit) && writer.isAway()) {
      state.isSettled = true;
      return done(writer.refusalWhileAway());
    }
    return beginsItself(state.audit) ? done() : beginBeforeHandler(request, reply, done);
  }

  /** The last preHandler. It begins the record of a change outside of the log's database, and of an upgrade. */
  function beginBeforeHandler(
    request: FastifyRequest,
    _reply: FastifyReply,
    done: (error?: Error) => void,
  ): void | Promise<void> {
    const state = stateOf(request);
    if (state?.audit.changes === 'outside') return beginRecord(request, state);
    if (state !== null && isUpgrade(request)) return ends.beginUpgrade(request, state);
    return done();
  }

  /** For a route without `beginBeforeHandler`, because an onRoute hook replaced its preHandlers. */
  function beginningBefore(handler: RouteHandlerMethod): RouteHandlerMethod {
    return function audited(request, reply) {
      const handle = (): unknown => handler.call(this, request, reply);
      const state = stateOf(request);
      if (state?.audit.changes !== 'outside' || state.begun !== 'no') return handle();
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

  function noteThrown(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    noteFailure(request, error);
    const state = stateOf(request);
    if (state !== null) ends.noteFailed(request, reply, state);
  }

  function noteReturned(request: FastifyRequest, reply: FastifyReply, value: unknown): void {
    const state = stateOf(request);
    if (state !== null) ends.noteReturned(request, reply, state, value);
  }

  /** onSend, once per request. The record has the end of the operation, even if a later hook replaces the reply. */
  function commitAudit<Payload>(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Payload,
    done: (error: Error | null, payload?: Payload | string) => void,
  ) {
    const state = stateOf(request);
    if (state === null || state.isSettled) return done(null, payload);
    // `done` must not be called after a promise: an error that Fastify throws in it, such as for a wrong header, would
    // end the process.
    return commitRecord(request, reply, payload, state);
  }

  async function commitRecord<Payload>(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Payload,
    state: AuditState,
  ): Promise<Payload | string> {
    const confirm = confirmationOf(request);
    // If it rejects, its error becomes the reply, and this hook runs again.
    if (confirm !== null) noteConfirmation(state, await confirm());
    if (state.isSettled) return payload;
    state.isSettled = true;
    const status = statusOf(reply, payload);
    if (!isRecorded(request, state, status)) return payload;
    const recorded = recordedStatus(state, status);
    noteUnchanged(request, state, recorded);
    const record = records.final(request, state, recorded);
    // A 503 confirms nothing and is sent while stores are unavailable, so it doesn't wait for the sink as well. A
    // record that was begun through the queue is completed through it, so that the records are in order.
    if (!isRequired(state.audit) || status === 503 || state.begun === 'queued') {
      writer.enqueue(record);
      return payload;
    }
    try {
      await writer.commit(record);
      return payload;
    } catch (error) {
      // The record was committed with the change. The sink completes it when it can.
      if (state.change === 'committed' && status < 400) return payload;
      // Its begun record is committed. The outcome follows when the sink is available again.
      if (state.begun === 'yes') writer.enqueue(record);
      return refuseReply(error as AuditUnavailableError, request, reply, payload);
    }
  }

  /**
   * Replaces the reply. A thrown error would skip the error handler and later hooks if the reply is already an error.
   */
  function refuseReply(
    error: AuditUnavailableError,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): string {
    discardPayload(payload);
    return refusalBody(error, request, reply);
  }

  function refusalBody(error: AuditUnavailableError, request: FastifyRequest, reply: FastifyReply): string {
    request.log.error({ err: error }, 'an operation could not be recorded and was not confirmed');
    clearReply(reply);
    return options.unavailableReply(error, request, reply.code(error.statusCode ?? 503));
  }

  function isRequired({ required, changes }: CheckedRouteAudit): boolean {
    return changes !== 'nothing' || (required ?? options.required) === 'before-reply';
  }

  /**
   * Rate limits (429) are not recorded, because they have counters. Unknown clients must not be able to fill the log,
   * also where the handler of a read refuses them.
   */
  function isRecorded(request: FastifyRequest, state: AuditState, status: number): boolean {
    if (status < 400) return true;
    const isRead = READING_METHODS.includes(request.method) && state.audit.changes === 'nothing';
    if (state.reachedHandler && !isRead) return true;
    if (status === 429 && !state.reachedHandler) return false;
    const isKnown = (state.details.actor ?? options.actorOf(request)) !== null;
    if (isKnown) return true;
    const isAdmitted = refusals.admits(options.clientIpOf(request) ?? '');
    recordOmitted();
    return isAdmitted;
  }

  /** Records the number of refusals that were only counted, when their minute is over or the server closes. */
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
    noteThrown,
    noteReturned,
    commitAudit,
    open: ends.open,
    settled: ends.settled,
    recordOmitted,
  };
}

export type AuditHooks = ReturnType<typeof createAuditHooks>;
