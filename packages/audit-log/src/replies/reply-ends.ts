import { replaceReplyMethod } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditUnavailableError } from '../errors.js';
import type { RecordWriter } from '../record-writer.js';
import { type AuditState, confirmationOf, noteConfirmation, stateOf } from '../request-audit.js';
import { type RequestRecords, recordedStatus } from '../request-records.js';
import { type HeldReply, holdReply } from './held-reply.js';

/** The reason of a record whose reply was not complete when its connection ended. */
const REPLY_CUT = 'REPLY_CUT';

const kHijack = Symbol('@sallyport/audit-log: hijack');

interface ReplyEndsDependencies {
  readonly fastify: FastifyInstance;
  readonly writer: RecordWriter;
  readonly records: RequestRecords;
  readonly isRequired: (state: AuditState) => boolean;
  readonly isRecorded: (request: FastifyRequest, state: AuditState, status: number) => boolean;
  /** The headers and the body of the 503 for a reply whose record could not be committed. */
  readonly refusalOf: (
    error: AuditUnavailableError,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: string };
}

/**
 * The records of replies that never reach onSend, because the handler hijacked them, or because the client disconnected
 * before. The end of the response or of its connection settles them.
 */
export interface ReplyEnds {
  /** Watches the reply of a new request. */
  watch(request: FastifyRequest, reply: FastifyReply, state: AuditState): void;
  /** The handler is about to run. */
  noteReached(request: FastifyRequest, state: AuditState): void;
  /** The promise of the handler was fulfilled. */
  noteReturned(request: FastifyRequest, reply: FastifyReply, state: AuditState, value: unknown): void;
  /** The promise of the handler was rejected. `state.exception` has the reason. */
  noteFailed(request: FastifyRequest, reply: FastifyReply, state: AuditState): void;
  /** Commits the record of a connection that is about to be upgraded. @throws AuditUnavailableError */
  beginUpgrade(request: FastifyRequest, state: AuditState): Promise<void>;
  /** The number of hijacked replies and upgraded connections that have not ended. */
  open(): number;
  /** Resolves when the records of replies that have ended are queued. */
  settled(): Promise<void>;
}

export function createReplyEnds(dependencies: ReplyEndsDependencies): ReplyEnds {
  const { fastify, writer, records, isRequired, isRecorded, refusalOf } = dependencies;
  const watchHijack = replaceReplyMethod(fastify, kHijack, 'hijack', function watched(hijack) {
    return function hijackRecorded() {
      hijack.call(this);
      stateOf(this.request)?.takeOver?.();
      return this;
    };
  });
  const open = new Set<AuditState>();
  const judging = new Set<Promise<void>>();

  function noteClose(request: FastifyRequest, reply: FastifyReply, state: AuditState): void {
    state.isClosed = true;
    open.delete(state);
    // A record that is being begun is settled after that.
    if (state.isSettled || state.begun === 'pending') return;
    if (isOutcomeKnown(request, reply, state)) settle(request, reply, state);
    else if (reply.sent || state.reachedHandler) noteCut(request, state);
  }

  function isOutcomeKnown(request: FastifyRequest, reply: FastifyReply, state: AuditState): boolean {
    const { audit, change, mayHaveChanged, exception, hasReturned } = state;
    const { headersSent, writableEnded } = reply.raw;
    if (writableEnded || hasReturned || change === 'committed' || isUpgraded(request, reply)) return true;
    if (exception !== null && reply.sent) return true;
    // A part of the read data was sent, or it is unknown.
    return audit.changes === 'nothing' && !mayHaveChanged && headersSent;
  }

  /** The handler may still be running. If it ends, the record of its end completes this one. */
  function noteCut(request: FastifyRequest, state: AuditState): void {
    // A transaction of the handler may commit the record under the same id.
    if (state.begun !== 'no' || state.described !== null || state.change !== 'none') return;
    state.begun = 'queued';
    writer.enqueue(records.begun(request, state, { reason: REPLY_CUT }));
  }

  function settle(request: FastifyRequest, reply: FastifyReply, state: AuditState): void {
    state.isSettled = true;
    const judged = judge(request, reply, state);
    if (judged === null) {
      enqueueFinal(request, reply, state);
      return;
    }
    const queued = judged.then(() => enqueueFinal(request, reply, state)).finally(() => judging.delete(queued));
    judging.add(queued);
  }

  /** As onSend does: the plugin that knows whether a success stands is asked before its record is made. */
  function judge(request: FastifyRequest, reply: FastifyReply, state: AuditState): Promise<void> | null {
    const confirm = confirmationOf(request);
    if (confirm === null || recordedStatus(state, reply.raw.statusCode) >= 400) return null;
    return confirm().then(
      (confirmed) => noteConfirmation(state, confirmed),
      (error: unknown) => {
        state.isRefuted = true;
        state.exception = error;
      },
    );
  }

  function enqueueFinal(request: FastifyRequest, reply: FastifyReply, state: AuditState): void {
    const status = recordedStatus(state, reply.raw.statusCode);
    if (!isRecorded(request, state, status)) return;
    const { details } = state;
    // The end of the connection is the regular end of a WebSocket.
    const isCut = !reply.raw.writableEnded && status < 400 && !isUpgraded(request, reply);
    const ended = isCut ? { ...state, details: { ...details, reason: details.reason ?? REPLY_CUT } } : state;
    writer.enqueue(records.final(request, ended, status));
  }

  function takeOver(request: FastifyRequest, reply: FastifyReply, state: AuditState): void {
    if (state.isSettled || open.has(state)) return;
    if (state.isClosed) {
      noteClose(request, reply, state);
      return;
    }
    open.add(state);
    const isBegun = state.begun === 'yes' || state.begun === 'queued';
    if (isBegun || !isRequired(state)) return;
    holdReply(reply.raw, (held, isEnded) => void recordHeld(request, reply, state, held, isEnded));
  }

  /** The record is committed before the first byte of the reply: the whole record, or the begun one. */
  async function recordHeld(
    request: FastifyRequest,
    reply: FastifyReply,
    state: AuditState,
    held: HeldReply,
    isEnded: boolean,
  ): Promise<void> {
    try {
      if (isEnded) await commitFinal(request, reply, state);
      else await beginReply(request, state);
    } catch (error) {
      state.isSettled = true;
      return refuseHeld(request, reply, held, error as AuditUnavailableError);
    }
    try {
      held.release();
    } catch (err) {
      request.log.error({ err }, 'a reply that was taken over could not be sent');
      reply.raw.destroy();
    }
    if (state.isClosed) noteClose(request, reply, state);
  }

  async function commitFinal(request: FastifyRequest, reply: FastifyReply, state: AuditState): Promise<void> {
    // Its record is already queued, for example because the client disconnected.
    if (state.isSettled) return;
    state.isSettled = true;
    await judge(request, reply, state);
    const status = recordedStatus(state, reply.raw.statusCode);
    if (!isRecorded(request, state, status)) return;
    const record = records.final(request, state, status);
    // Like any 503: it confirms nothing.
    if (reply.raw.statusCode === 503) writer.enqueue(record);
    else await writer.commit(record);
  }

  async function beginReply(request: FastifyRequest, state: AuditState): Promise<void> {
    if (state.isSettled || state.begun === 'yes') return;
    state.begun = 'pending';
    await writer.begin(records.begun(request, state)).catch((error: unknown) => {
      state.begun = 'failed';
      throw error;
    });
    state.begun = 'yes';
  }

  function refuseHeld(
    request: FastifyRequest,
    reply: FastifyReply,
    held: HeldReply,
    error: AuditUnavailableError,
  ): void {
    // Done before, so that the reply doesn't inherit them.
    for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
    const { status, headers, body } = refusalOf(error, request, reply);
    held.replace(status, headers, body);
  }

  return {
    watch(request, reply, state) {
      state.takeOver = () => takeOver(request, reply, state);
      watchHijack(reply);
      reply.raw.on('close', () => noteClose(request, reply, state));
    },

    noteReached(request, state) {
      state.reachedHandler = true;
      if (state.isClosed) noteCut(request, state);
    },

    noteReturned(request, reply, state, value) {
      // Fastify sends any other value, even if the client has disconnected.
      if (value !== undefined && !reply.sent) return;
      state.hasReturned = true;
      if (state.isClosed) noteClose(request, reply, state);
    },

    noteFailed(request, reply, state) {
      if (state.isClosed) noteClose(request, reply, state);
    },

    async beginUpgrade(request, state) {
      if (isRequired(state)) return beginReply(request, state);
      state.begun = 'queued';
      writer.enqueue(records.begun(request, state));
    },

    open: () => open.size,

    async settled() {
      await Promise.all(judging);
    },
  };
}

/**
 * Node.js sets this only if there is a listener of `upgrade`. The requests of `injectWS` of @fastify/websocket don't
 * have it.
 */
export function isUpgrade({ raw }: FastifyRequest): boolean {
  const { upgrade } = raw as { readonly upgrade?: boolean | null };
  return upgrade === undefined ? raw.headers.upgrade !== undefined : upgrade === true;
}

function isUpgraded(request: FastifyRequest, reply: FastifyReply): boolean {
  return isUpgrade(request) && reply.sent;
}
