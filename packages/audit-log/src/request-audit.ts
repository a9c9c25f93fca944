import type { FastifyRequest } from 'fastify';
import { kindOfName } from './masking/sensitive-names.js';
import type { AuditLogOptions } from './options.js';
import type { AuditOutcome, AuditRecord } from './records/audit-record.js';
import type { AuditEvent } from './records/create-audit-record.js';
import type { CheckedRouteAudit } from './route-audit.js';

/** What a handler knows better than the request shows. */
export interface AuditDetails {
  readonly actor?: string | null;
  /** Replaces the action of the route. */
  readonly action?: string;
  readonly target?: string | null;
  /** Default: by the status of the reply: success below 400, refused below 500, else failure. */
  readonly outcome?: AuditOutcome;
  readonly reason?: string | null;
  /** Anything more; it stands in the record's parameters as `detail`, masked and bounded. */
  readonly detail?: unknown;
}

/** `request.audit`. */
export interface RequestAudit {
  /** Says more about the request's own record. Later values replace earlier ones. Without effect once the reply is under way. */
  set(details: AuditDetails): void;
  /**
   * Commits a record of its own for something that happened on the way, with this request's origin. Resolves once it is
   * committed.
   *
   * @throws AuditUnavailableError
   */
  record(event: Pick<AuditEvent, 'action'> & AuditDetails): Promise<void>;
  /**
   * The request's own record as it would be if the reply left now, for a handler that writes it in the transaction of
   * its change (`appendWithin` of a sink). Where the reply is a success, its record has the same id and says the same
   * details, and a sink keeps one. Where it isn't, its record is another one, without them: the transaction may have been
   * committed although its answer never came.
   */
  describe(details?: AuditDetails): AuditRecord;
}

export const kAudit = Symbol('@sallyport/audit-log: state');

/** The record of a success, as a transaction may commit it. */
interface DescribedRecord {
  readonly record: AuditRecord;
  /** What was said of it when it was described. */
  readonly details: AuditDetails;
  /** What had been said of the request before that. */
  readonly after: AuditDetails;
}

/** What the hooks know of a request that is recorded. */
export interface AuditState {
  readonly audit: CheckedRouteAudit;
  readonly id: string;
  readonly startedAt: number;
  details: AuditDetails;
  exception: unknown;
  /** A refusal before this is one of protection, such as a rate limit. */
  reachedHandler: boolean;
  /** What a transaction may commit as the record of the success; null: nothing was described. */
  described: DescribedRecord | null;
  isSettled: boolean;
}

type Sources = Required<
  Pick<AuditLogOptions, 'actorOf' | 'clientIpOf' | 'terminalOf' | 'requestIdOf' | 'reasonOf' | 'now'>
>;

/** Where a request comes from. */
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

/** The one parameter of the path, where there is one: `/payments/:id`. */
function targetOf({ params }: FastifyRequest): string | null {
  const entries = Object.entries((params ?? {}) as Record<string, unknown>);
  const [name, value] = entries[0] ?? [];
  return entries.length === 1 && typeof value === 'string' && !isSecretInPath(name ?? '') ? value : null;
}

/** What was asked for, unless a parameter of the path is a secret: then the route alone. */
function pathOf(request: FastifyRequest): string {
  const { routeOptions, params, originalUrl } = request;
  const names = Object.keys((params ?? {}) as object);
  const hasSecret = names.some(isSecretInPath);
  const end = originalUrl.search(/[?#]/);
  const path = end === -1 ? originalUrl : originalUrl.slice(0, end);
  return hasSecret ? (routeOptions.url ?? path) : path;
}

/** A path is in every log on its way, so a `:key` in one names a thing: of a parameter, of a record. */
function isSecretInPath(name: string): boolean {
  return name !== 'key' && kindOfName(name) !== 'plain';
}

function headerText(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return Array.isArray(value) ? value.join(', ') : value;
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
