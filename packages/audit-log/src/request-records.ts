import type { FastifyRequest } from 'fastify';
import type { AuditLogOptions } from './options.js';
import { type AuditRecord, makeAuditRecord, type RecordOrigin, wholeMillis, withDuration } from './records/index.js';
import { type AuditDetails, type AuditState, eventOf, idOf } from './request-audit.js';

export interface RequestRecordsDependencies {
  readonly options: Required<AuditLogOptions>;
  readonly nextOrigin: () => RecordOrigin;
}

/** The records of a request's own operation. */
export interface RequestRecords {
  /** The record of a success, with the present details. */
  describe(request: FastifyRequest, state: AuditState, details?: AuditDetails): AuditRecord;
  /** The record of a begun operation, with the outcome `unknown`. */
  begun(request: FastifyRequest, state: AuditState, details?: AuditDetails): AuditRecord;
  /** The record with the end of the operation. */
  final(request: FastifyRequest, state: AuditState, status: number): AuditRecord;
}

export function createRequestRecords({ options, nextOrigin }: RequestRecordsDependencies): RequestRecords {
  function recordOf(request: FastifyRequest, state: AuditState, status: number, more: AuditDetails = {}): AuditRecord {
    const { id, startedAt: occurredAt } = state;
    const event = eventOf(request, { ...state, details: { ...state.details, ...more } }, status, options);
    return makeAuditRecord(event, { id, occurredAt, limits: options.parameterLimits });
  }

  return {
    describe(request, state, details = {}) {
      const described = { ...state.described?.details, ...details };
      // The record of the reply already exists, so this one needs another id.
      const id = state.isSettled ? nextOrigin().id : idOf(state);
      const record = recordOf(request, { ...state, id }, 200, described);
      state.described = { details: described, after: state.details, record };
      return record;
    },

    begun: (request, state, details = {}) => recordOf(request, state, 200, { ...details, outcome: 'unknown' }),

    final(request, given, status) {
      // The outcome that the handler set belongs to the success that does not stand.
      const state = given.isRefuted ? { ...given, details: { ...given.details, outcome: 'unknown' as const } } : given;
      const { described, details, mayHaveChanged, change } = state;
      const id = idOf(state);
      if (described === null && change === 'none') {
        // A begun operation may have taken effect although the reply is a failure. There is no completion, so that a
        // settlement can add it.
        const isUnknown = mayHaveChanged && status >= 500 && details.outcome === undefined;
        if (!isUnknown) return recordOf(request, { ...state, id }, status);
        return recordOf(request, state, status, { outcome: 'unknown' });
      }
      // The described record may be committed although the reply is a failure, such as after a timeout. Both records
      // are kept.
      if (status >= 400) return recordOf(request, { ...state, id: nextOrigin().id }, status);
      if (described === null) return recordOf(request, { ...state, id }, status);
      if (described.after !== details) return recordOf(request, { ...state, id }, status, described.details);
      // The details are the same, so the masked and canonical form of the described record is reused.
      return withDuration(described.record, wholeMillis(options.now() - state.startedAt));
    },
  };
}

/** An error handler may answer 200 although the handler failed. The record has the end of the operation. */
export function recordedStatus({ exception }: AuditState, status: number): number {
  if (status >= 400 || exception === null) return status;
  const own = (exception as { readonly statusCode?: unknown } | undefined)?.statusCode;
  return typeof own === 'number' ? own : 500;
}
