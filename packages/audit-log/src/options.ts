import { MASK_LIMITS, type MaskLimits, maskLimitsRule } from '@sallyport/masking';
import { callback, objectWith, oneOf, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { earlierRoutesRule, type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditSetupError, type AuditUnavailableError } from './errors.js';
import { type AuditRecord, codeOf } from './records/index.js';
import type { DecideAudit, RecordRequirement, RouteChanges } from './route-audit.js';
import type { AuditSink } from './sinks/index.js';

/** Options of the plugin. */
export interface AuditLogOptions {
  /** Stores the records. The plugin closes it with the server. Required. */
  readonly sink: AuditSink;
  /**
   * Whether a reply is sent after the commit of its record (`before-reply`), or without waiting for it (`after-reply`).
   * Routes can override it. Default `before-reply`.
   */
  readonly required?: RecordRequirement;
  /**
   * The default of `config.audit.changes` for routes with a writing method. Default `outside`: their records are begun
   * before the handler, so that no change is without a record.
   */
  readonly writes?: RouteChanges;
  /** The time that a reply waits for its record before it becomes 503, in milliseconds, 1 to 600 000. Default 1500. */
  readonly commitTimeoutMillis?: number;
  /**
   * The number of replies that may wait for their records, 1 to 1 000 000. Further ones become 503 at once. Default
   * 1000.
   */
  readonly maxPending?: number;
  /**
   * The number of records of `after-reply` that may wait for the sink, 0 to 1 000 000. Further ones are lost and
   * counted. Default 10 000.
   */
  readonly maxQueued?: number;
  /**
   * The time after a failure in which no operation begins, and after which queued records are tried again, in
   * milliseconds, 1 to 600 000. Default 1000.
   */
  readonly retryMillis?: number;
  /** The time for which closing the server waits for queued records, in milliseconds, 1 to 600 000. Default 5000. */
  readonly closeTimeoutMillis?: number;
  /**
   * The number of refusals per minute that are recorded for an unknown client that was refused before the handler, such
   * as with 401; 0 to 1 000 000. The others are counted in one additional record. Default 60.
   */
  readonly anonymousRefusalsPerMinute?: number;
  /** The limits of the kept part of params, query, body and detail. Default {@link MASK_LIMITS}. */
  readonly parameterLimits?: MaskLimits;
  /** The actor of a request. Default: `request.principal` as `audience:subject`, or null. */
  readonly actorOf?: (request: FastifyRequest) => string | null;
  /** Default: `request.clientIp` (@sallyport/client-ip), else `request.ip`. */
  readonly clientIpOf?: (request: FastifyRequest) => string | null;
  /** Default: `request.principal.terminal`, or null. */
  readonly terminalOf?: (request: FastifyRequest) => string | null;
  /** Default: `request.id`. */
  readonly requestIdOf?: (request: FastifyRequest) => string | null;
  /** The code of the reason of a refusal or failure. Default: the error's own `code`, or null. */
  readonly reasonOf?: (request: FastifyRequest, error: unknown) => string | null;
  /**
   * The reply for an operation that could not be recorded. It sets the headers and returns the body; the status is 503.
   * Default: Fastify's error body. The application's error handler can't be used, because the replaced reply may be its
   * own, and Fastify doesn't call it twice.
   */
  readonly unavailableReply?: (error: AuditUnavailableError, request: FastifyRequest, reply: FastifyReply) => string;
  /**
   * Commits the record of a change that a request is about to make outside of the log's database, instead of the sink's
   * `begin`. An example is `(record, request) => changes.begin(record, request)` of `createAuditedChanges`. If it
   * rejects, the request is refused with that error before its handler. If it returns undefined, the sink's `begin` is
   * used. Default: always the sink's `begin`.
   */
  readonly begin?: (record: AuditRecord, request: FastifyRequest) => Promise<void> | undefined;
  /**
   * Decides for routes whose own `config` has no `audit`, such as those of @fastify/swagger-ui and @fastify/static. It
   * returns a value of `config.audit`, or undefined for a route that it doesn't know. Default: it knows no route.
   */
  readonly decide?: DecideAudit;
  /**
   * The recorded scope: the whole application (`app`), or the scope in which the plugin is registered (`encapsulated`).
   * Default `app`.
   */
  readonly scope?: PluginScope;
  /**
   * Whether routes may be registered before the plugin. They are recorded if they have `config.audit` or `decide` knows
   * them. Default false: they stop the start.
   */
  readonly allowEarlierRoutes?: boolean;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** Decorations of other plugins. */
interface KnownRequest {
  readonly principal?: { readonly audience?: unknown; readonly subject?: unknown; readonly terminal?: unknown } | null;
  readonly clientIp?: unknown;
}

/** The defaults of {@link AuditLogOptions}. */
export const AUDIT_LOG_DEFAULTS = {
  required: 'before-reply',
  writes: 'outside',
  commitTimeoutMillis: 1500,
  maxPending: 1000,
  maxQueued: 10_000,
  retryMillis: 1000,
  closeTimeoutMillis: 5000,
  anonymousRefusalsPerMinute: 60,
  parameterLimits: MASK_LIMITS,
  actorOf(request) {
    const { principal } = request as KnownRequest;
    if (typeof principal?.subject !== 'string') return null;
    return typeof principal.audience === 'string' ? `${principal.audience}:${principal.subject}` : principal.subject;
  },
  clientIpOf(request) {
    const { clientIp } = request as KnownRequest;
    return typeof clientIp === 'string' && clientIp !== '' ? clientIp : request.ip;
  },
  terminalOf(request) {
    const terminal = (request as KnownRequest).principal?.terminal;
    return typeof terminal === 'string' ? terminal : null;
  },
  requestIdOf: (request) => request.id,
  reasonOf: (_request, error) => codeOf(error),
  unavailableReply(error, _request, reply) {
    reply.type('application/json; charset=utf-8');
    const { statusCode, code, message } = error;
    return JSON.stringify({ statusCode, code, error: 'Service Unavailable', message });
  },
  begin: () => undefined,
  decide: () => undefined,
  scope: 'app',
  allowEarlierRoutes: false,
  now: () => Date.now(),
} as const satisfies Required<Omit<AuditLogOptions, 'sink'>>;

const MAX_MILLIS = 600_000;
const MAX_RECORDS = 1_000_000;

const millis = (byDefault: number) =>
  wholeNumber({ min: 1, max: MAX_MILLIS, unit: 'milliseconds', default: byDefault });
const records = (min: 0 | 1, byDefault: number) =>
  wholeNumber({ min, max: MAX_RECORDS, unit: 'records', default: byDefault });
const called = <Value>(that: string, byDefault: Value) => callback<Value>({ that, default: byDefault });

const rules = {
  decide: callback<DecideAudit>({
    that: 'takes a route and returns its config.audit or undefined',
    default: AUDIT_LOG_DEFAULTS.decide,
  }),
  scope: scopeRule,
  allowEarlierRoutes: earlierRoutesRule,
  sink: objectWith<AuditSink>({ methods: ['append'], meaning: 'a sink with append, such as createMemorySink()' }),
  required: oneOf<RecordRequirement>(['before-reply', 'after-reply'], { default: AUDIT_LOG_DEFAULTS.required }),
  writes: oneOf<RouteChanges>(['outside', 'in-handler', 'nothing'], { default: AUDIT_LOG_DEFAULTS.writes }),
  commitTimeoutMillis: millis(AUDIT_LOG_DEFAULTS.commitTimeoutMillis),
  maxPending: records(1, AUDIT_LOG_DEFAULTS.maxPending),
  maxQueued: records(0, AUDIT_LOG_DEFAULTS.maxQueued),
  retryMillis: millis(AUDIT_LOG_DEFAULTS.retryMillis),
  closeTimeoutMillis: millis(AUDIT_LOG_DEFAULTS.closeTimeoutMillis),
  anonymousRefusalsPerMinute: records(0, AUDIT_LOG_DEFAULTS.anonymousRefusalsPerMinute),
  parameterLimits: maskLimitsRule,
  actorOf: called('takes a request and returns an actor or null', AUDIT_LOG_DEFAULTS.actorOf),
  clientIpOf: called('takes a request and returns an address or null', AUDIT_LOG_DEFAULTS.clientIpOf),
  terminalOf: called('takes a request and returns a terminal or null', AUDIT_LOG_DEFAULTS.terminalOf),
  requestIdOf: called('takes a request and returns an id or null', AUDIT_LOG_DEFAULTS.requestIdOf),
  reasonOf: called('takes a request and an error and returns a code or null', AUDIT_LOG_DEFAULTS.reasonOf),
  unavailableReply: called(
    'takes an error, a request and a reply and returns the body of the 503',
    AUDIT_LOG_DEFAULTS.unavailableReply,
  ),
  begin: called<Required<AuditLogOptions>['begin']>(
    'takes a record and a request and returns a promise or undefined',
    AUDIT_LOG_DEFAULTS.begin,
  ),
  now: called('returns milliseconds since 1970, such as Date.now', AUDIT_LOG_DEFAULTS.now),
};

/** @throws AuditSetupError naming every fault of the options */
export function readAuditLogOptions(given: AuditLogOptions): Required<AuditLogOptions> {
  const owner = { subject: 'audit-log', SetupError: AuditSetupError, isPlugin: true };
  const options = readOptions<Required<AuditLogOptions>>(owner, given, rules);
  return { ...options, actorOf: (request) => readActor(options.actorOf(request)) };
}

/**
 * Checks the actor. A record with the actor `[object Promise]` would name nobody, and a number is an id in many tables.
 * Requirement AUD-2.
 *
 * @throws AuditSetupError
 */
function readActor(given: unknown): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given === 'string') return given;
  if (typeof given === 'number' || typeof given === 'bigint') return String(given);
  // The promise is not awaited. Its rejection would end the process.
  if (given instanceof Promise) given.catch(() => {});
  const kind =
    given instanceof Promise ? 'a promise: load the actor in a hook before' : `a value of type ${typeof given}`;
  throw new AuditSetupError('audit-log', [`actorOf must return a text or null; it returned ${kind}`]);
}
