import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditUnavailableError } from './errors.js';
import { AuditSetupError } from './errors.js';
import { MASK_LIMITS, type MaskLimits } from './masking/mask-sensitive.js';
import { codeOf } from './records/exception-summary.js';
import type { RecordRequirement } from './route-audit.js';
import type { AuditSink } from './sinks/sink.js';

/** Options of the plugin. */
export interface AuditLogOptions {
  /** Where records are kept. The plugin closes it with the server. Required. Requirement AUD-4. */
  readonly sink: AuditSink;
  /** When the replies leave of routes that don't say it: once the record is committed, or before. Default `before-reply`. Requirement AUD-4. */
  readonly required?: RecordRequirement;
  /** How long a reply waits for its record before it becomes 503, in milliseconds. Default 1500. Requirement REL-2. */
  readonly commitTimeoutMillis?: number;
  /** How many replies may wait for their records; the next is 503 at once. Default 1000. */
  readonly maxPending?: number;
  /** How many records of `after-reply` may wait for the sink; the next is lost, and counted. Default 10 000. */
  readonly maxQueued?: number;
  /** After a failure: how long no operation begins, and how long until queued records are tried again, in milliseconds. Default 1000. */
  readonly retryMillis?: number;
  /** How long closing the server waits for queued records, in milliseconds. Default 5000. Requirement OPS-7. */
  readonly closeTimeoutMillis?: number;
  /**
   * How many refusals a minute are recorded of one client that nobody knows, and that was turned away before the
   * handler: 401s above all. The rest is counted in one record of its own. Default 60.
   */
  readonly anonymousRefusalsPerMinute?: number;
  /** How much of params, query, body and detail is kept. Default {@link MASK_LIMITS}. */
  readonly parameterLimits?: MaskLimits;
  /** Who does it. Default: `request.principal` as `audience:subject`, or null. */
  readonly actorOf?: (request: FastifyRequest) => string | null;
  /** Default: `request.clientIp` (@sallyport/client-ip), else `request.ip`. Requirement IP-1. */
  readonly clientIpOf?: (request: FastifyRequest) => string | null;
  /** Default: `request.principal.terminal`, or null. */
  readonly terminalOf?: (request: FastifyRequest) => string | null;
  /** Default: `request.id`. */
  readonly requestIdOf?: (request: FastifyRequest) => string | null;
  /** The code that says why. Default: the error's own `code`, or null. */
  readonly reasonOf?: (request: FastifyRequest, error: unknown) => string | null;
  /**
   * What a client gets whose operation couldn't be recorded. It sets the headers and returns the body; the status is 503.
   * Default: what Fastify makes of the error. It can't be left to the application's error handler: the reply that it
   * takes the place of may be that handler's.
   */
  readonly unavailableReply?: (error: AuditUnavailableError, request: FastifyRequest, reply: FastifyReply) => string;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** What other plugins of the family put on a request, where they are there. */
interface KnownRequest {
  readonly principal?: { readonly audience?: unknown; readonly subject?: unknown; readonly terminal?: unknown } | null;
  readonly clientIp?: unknown;
}

/** The defaults of {@link AuditLogOptions}. */
export const AUDIT_LOG_DEFAULTS = {
  required: 'before-reply',
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
  now: () => Date.now(),
} as const satisfies Required<Omit<AuditLogOptions, 'sink'>>;

type CheckedOptions = Required<AuditLogOptions>;

const MAX_MILLIS = 600_000;
const MAX_RECORDS = 1_000_000;

const FUNCTIONS = [
  'actorOf',
  'clientIpOf',
  'terminalOf',
  'requestIdOf',
  'reasonOf',
  'unavailableReply',
  'now',
] as const;

/** @throws AuditSetupError naming every fault at once. */
export function checkOptions(given: AuditLogOptions): CheckedOptions {
  const options: CheckedOptions = { ...AUDIT_LOG_DEFAULTS, ...withoutUndefined(given) };
  const known = ['sink', 'prefix', ...Object.keys(AUDIT_LOG_DEFAULTS)];
  const faults = [
    ...Object.keys(given ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => `${name} is no option; there are ${known.filter((one) => one !== 'prefix').join(', ')}`),
    ...(typeof options.sink?.append === 'function' ? [] : ['sink must be one with append, such as createMemorySink()']),
    ...(options.required === 'before-reply' || options.required === 'after-reply'
      ? []
      : ["required must be 'before-reply' or 'after-reply'"]),
    ...wholeFault(options, 'commitTimeoutMillis', 1, MAX_MILLIS, 'milliseconds'),
    ...wholeFault(options, 'maxPending', 1, MAX_RECORDS, 'records'),
    ...wholeFault(options, 'maxQueued', 0, MAX_RECORDS, 'records'),
    ...wholeFault(options, 'retryMillis', 1, MAX_MILLIS, 'milliseconds'),
    ...wholeFault(options, 'closeTimeoutMillis', 1, MAX_MILLIS, 'milliseconds'),
    ...wholeFault(options, 'anonymousRefusalsPerMinute', 0, MAX_RECORDS, 'records'),
    ...limitFaults(options.parameterLimits),
    ...FUNCTIONS.filter((name) => typeof options[name] !== 'function').map((name) => `${name} must be a function`),
  ];
  if (faults.length > 0) throw new AuditSetupError(faults);
  return options;
}

type NumberOption =
  | 'commitTimeoutMillis'
  | 'maxPending'
  | 'maxQueued'
  | 'retryMillis'
  | 'closeTimeoutMillis'
  | 'anonymousRefusalsPerMinute';

function wholeFault(options: CheckedOptions, name: NumberOption, least: number, most: number, unit: string): string[] {
  const value: unknown = options[name];
  const isRight = Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  return isRight ? [] : [`${name} must be a whole number of ${unit} from ${least} to ${most}`];
}

function limitFaults(limits: unknown): string[] {
  if (typeof limits !== 'object' || limits === null) return ['parameterLimits must be an object'];
  return Object.entries(limits).flatMap(([name, value]) => {
    if (!Object.hasOwn(MASK_LIMITS, name)) return [`parameterLimits.${name} is no limit`];
    const isRight = value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= MAX_RECORDS);
    return isRight ? [] : [`parameterLimits.${name} must be a whole number from 1 to ${MAX_RECORDS}`];
  });
}

/** An option that is there as undefined is one that wasn't given. */
function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as T;
}
