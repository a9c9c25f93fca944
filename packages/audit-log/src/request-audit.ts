import { kindOfName } from '@sallyport/masking';
import type { FastifyRequest } from 'fastify';
import type { AuditLogOptions } from './options.js';
import { type AuditEvent, type AuditOutcome, type AuditRecord, completionId, targetText } from './records/index.js';
import type { CheckedRouteAudit } from './route-audit.js';

/** The details that a handler adds to the record of its request. */
export interface AuditDetails {
  readonly actor?: string | null;
  /** Replaces the action of the route. */
  readonly action?: string;
  /**
   * The target of the action. A number becomes its text. Default: the parameter of the path if there is exactly one and
   * its name is not that of a secret.
   */
  readonly target?: string | number | null;
  /** The outcome. Default by the status of the reply: success below 400, refused below 500, otherwise failure. */
  readonly outcome?: AuditOutcome;
  readonly reason?: string | null;
  /** Any value. It becomes the member `detail` of the record's parameters, masked and bounded. */
  readonly detail?: unknown;
}

/** `request.audit`. */
export interface RequestAudit {
  /** Adds details to the request's own record. Later values replace earlier ones. No effect after onSend. */
  set(details: AuditDetails): void;
  /**
   * Commits an additional record with this request's origin. Resolves once it is committed.
   *
   * @throws AuditUnavailableError
   */
  record(event: Pick<AuditEvent, 'action'> & AuditDetails): Promise<void>;
  /**
   * Makes the record of the event with this request's origin: actor, address, request id and others, unless the event
   * has its own.
   */
  withOrigin(event: AuditEvent): AuditEvent;
  /**
   * The request's present record, for a handler that writes it in the transaction of its change (`appendWithin` of a
   * sink). If the reply is a success, its record has the same id and the same details, and a sink keeps one of them. If
   * not, its record has another id and none of these details: the transaction may have been committed although its
   * answer was lost.
   */
  describe(details?: AuditDetails): AuditRecord;
  /**
   * Commits the request's present record, with the outcome `unknown`, before a change that a transaction of the log
   * can't contain, such as one in Redis. The record of the reply completes it. If it rejects, don't make the change. On
   * a route that changes something, the plugin calls it before the handler (`config.audit.change`). Later calls have no
   * effect.
   *
   * @throws AuditUnavailableError
   */
  begin(details?: AuditDetails): Promise<void>;
  /**
   * Begins a change whose transaction also commits its record, for your own store. `createAuditedChanges` does this for
   * PostgreSQL. A request makes one such change.
   *
   * @throws TypeError if another change of the request was committed or may have been committed
   */
  startChange(): RequestChange;
}

/** A change in one transaction with its record. Call one of `committed` and `rolledBack`, or neither. */
export interface RequestChange {
  /** `describe` of the request. Write the record in the transaction. */
  describe(details?: AuditDetails): AuditRecord;
  /** The transaction was committed. The reply no longer depends on the sink. */
  committed(): void;
  /** The transaction was certainly not committed. Without this call, the change counts as made in part. */
  rolledBack(): void;
}

export const kAudit = Symbol('@sallyport/audit-log: state');

/** The record of a success, which a transaction may have committed. */
interface DescribedRecord {
  readonly record: AuditRecord;
  /** The details given to `describe`. */
  readonly details: AuditDetails;
  /** The details that were set before `describe`. */
  readonly after: AuditDetails;
}

/** The state of a recorded request. */
export interface AuditState {
  readonly audit: CheckedRouteAudit;
  readonly id: string;
  readonly startedAt: number;
  details: AuditDetails;
  exception: unknown;
  /** Refusals before the handler come from protection, such as a rate limit. */
  reachedHandler: boolean;
  /** Null if `describe` was not called. */
  described: DescribedRecord | null;
  /**
   * Whether there is a begun record with the outcome `unknown`. `pending`: its commit is running; `failed`: its commit
   * failed; `queued`: it is queued; `yes`: it is committed.
   */
  begun: 'no' | 'pending' | 'failed' | 'queued' | 'yes';
  /** The record was begun before a change, so a failure may have taken effect. */
  mayHaveChanged: boolean;
  /** A change with its record in one transaction. `started`: it may be committed at any time. */
  change: 'none' | 'started' | 'committed';
  /**
   * Whether the promise of the handler was fulfilled without a value that Fastify would send to a disconnected client.
   */
  hasReturned: boolean;
  /** Called when the handler has hijacked the reply. Null until the reply is watched. */
  takeOver: (() => void) | null;
  /** The response or its connection has ended. */
  isClosed: boolean;
  /** The handler succeeded, but a plugin that judges it found that the success does not stand. */
  isRefuted: boolean;
  isSettled: boolean;
}

type Sources = Required<
  Pick<AuditLogOptions, 'actorOf' | 'clientIpOf' | 'terminalOf' | 'requestIdOf' | 'reasonOf' | 'now'>
>;

/** The origin of a request. */
export function originOf(request: FastifyRequest, sources: Sources) {
  return {
    actor: sources.actorOf(request),
    clientIp: sources.clientIpOf(request),
    requestId: sources.requestIdOf(request),
    terminal: sources.terminalOf(request),
    method: request.method,
    path: pathOf(request),
    userAgent: headerText(request.headers['user-agent']),
  } satisfies Partial<AuditEvent>;
}

/** The event of a request that is answered with the given status. */
export function eventOf(request: FastifyRequest, state: AuditState, status: number, sources: Sources): AuditEvent {
  const { audit, details, exception, startedAt } = state;
  const { detail, ...known } = details;
  const parameters = { ...(audit.keepsParameters && parametersOf(request)), ...(detail !== undefined && { detail }) };
  return {
    action: audit.actionOf(request.method),
    target: targetOf(request),
    outcome: outcomeOf(status),
    reason: status < 400 ? null : sources.reasonOf(request, exception),
    ...originOf(request, sources),
    ...(status >= 400 && { exception }),
    parameters,
    occurredAt: startedAt,
    durationMillis: sources.now() - startedAt,
    ...withoutUndefined(known),
  };
}

function outcomeOf(status: number): AuditOutcome {
  if (status < 400) return 'success';
  return status < 500 ? 'refused' : 'failure';
}

function parametersOf({ params, query, body }: FastifyRequest): Record<string, unknown> {
  const given = Object.entries({ params, query, body });
  return Object.fromEntries(given.filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && !ArrayBuffer.isView(value) && Object.keys(value).length === 0;
}

/** The parameter of the path, if there is exactly one: `/payments/:id`. */
function targetOf({ params }: FastifyRequest): string | null {
  const entries = Object.entries((params ?? {}) as Record<string, unknown>);
  const [name, value] = entries[0] ?? [];
  if (entries.length !== 1 || isSecretInPath(name ?? '')) return null;
  // A schema may have converted it to a number. Refusals before the validation have the text.
  return typeof value === 'string' || typeof value === 'number' ? targetText(value) : null;
}

/** The requested path, or the route if a parameter of the path is a secret. */
function pathOf(request: FastifyRequest): string {
  const { routeOptions, params, originalUrl } = request;
  const names = Object.keys((params ?? {}) as object);
  const hasSecret = names.some(isSecretInPath);
  const end = originalUrl.search(/[?#]/);
  const path = end === -1 ? originalUrl : originalUrl.slice(0, end);
  return hasSecret ? (routeOptions.url ?? path) : path;
}

/** `:key` in a path is not a secret. Paths are in every log, so it is a name, such as that of a system parameter. */
function isSecretInPath(name: string): boolean {
  return name !== 'key' && kindOfName(name) !== 'plain';
}

function headerText(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Leaves out undefined members, so that they replace nothing. */
export function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}

/**
 * @sallyport/idempotency sets it, because it knows whether a transaction was committed. The packages share the name,
 * not the code.
 */
const kConfirmReply = Symbol.for('@sallyport/confirm-reply');

/**
 * Rejects with the error that will be the answer if the success of the handler does not stand. False: this reply is
 * that error. An error: nothing was done for this reply, which is the first answer again.
 */
type ReplyConfirmation = () => Promise<boolean | Error>;

/** Null if no plugin judges the success. */
export function confirmationOf(request: FastifyRequest): ReplyConfirmation | null {
  return (request as { readonly [kConfirmReply]?: ReplyConfirmation | null })[kConfirmReply] ?? null;
}

export function noteConfirmation(state: AuditState, confirmed: boolean | Error): void {
  state.isRefuted = confirmed === false;
  if (confirmed instanceof Error) state.exception = confirmed;
}

/**
 * Null if nothing is recorded. Fastify doesn't decorate the requests of scopes that were made before the plugin was
 * registered.
 */
export function stateOf(request: FastifyRequest): AuditState | null {
  return request[kAudit] ?? null;
}

/** A change that was not made in `change` could be missing in the log after a crash. */
export function noteUnchanged(
  request: FastifyRequest,
  { audit, change, begun, described }: AuditState,
  status: number,
): void {
  if (audit.changes !== 'in-handler' || status >= 400 || change !== 'none' || begun !== 'no' || described !== null)
    return;
  const { method, url = '' } = request.routeOptions;
  const route = `${String(method)} ${url}`;
  request.log.warn(`${route} has config.audit.changes in-handler, but made no audited change and began no record`);
}

/** The id of the record with the end of the operation. */
export function idOf({ id, begun }: AuditState): string {
  return begun === 'no' ? id : completionId(id);
}
