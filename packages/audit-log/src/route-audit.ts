import { flag, group, isObject, type KnownMembers, oneOf, option, optional } from '@sallyport/plugin-kit/options';
import { askDecision, type DescribedRoute, type RouteReading, type UndecidedRoute } from '@sallyport/plugin-kit/routes';

/** Whether the reply waits until the record is committed. */
export type RecordRequirement = 'before-reply' | 'after-reply';

/**
 * How a route changes state, which decides how its record is committed.
 * - `outside`: its changes are not in one transaction with the record. The record is begun before the handler, and
 *   completed by the reply.
 * - `in-handler`: the handler makes its change by `createAuditedChanges`, or calls `request.audit.begin()` itself.
 * - `nothing`: it only reads, or makes no lasting change.
 */
export type RouteChanges = 'outside' | 'in-handler' | 'nothing';

/** The members of an audit decision. */
interface RouteAuditMembers extends KnownMembers<RouteAuditMembers> {
  /** The action of the route, such as `session.end`. Exclusive with `resource`. */
  readonly action?: string;
  /** The resource of the route, such as `payment`. The method completes the action: `payment.create`. */
  readonly resource?: string;
  /** Default: the plugin's option `required`. `after-reply` is for routes that change nothing. */
  readonly required?: RecordRequirement;
  /** Default: `nothing` for GET, HEAD, OPTIONS, QUERY and TRACE, otherwise the plugin's option `writes`. */
  readonly changes?: RouteChanges;
  /** Whether params, query and body are kept, masked. Default true. */
  readonly parameters?: boolean;
}

/** An audit decision with all its members: it has either `action` or `resource`. */
export type RouteAuditDecision = RouteAuditMembers &
  (
    | { readonly action: string; readonly resource?: undefined }
    | { readonly resource: string; readonly action?: undefined }
  );

/**
 * The audit decision of a route: a resource, whose actions follow from the methods (`payment.create`, `.read`,
 * `.update`, `.delete`); a decision with all its members; or false: nothing is recorded, not even refusals.
 */
export type RouteAudit = false | string | RouteAuditDecision;

/** A valid decision. */
export interface CheckedRouteAudit {
  readonly actionOf: (method: string) => string;
  readonly required: RecordRequirement | null;
  readonly changes: RouteChanges;
  readonly keepsParameters: boolean;
}

export type { UndecidedRoute };

/** The option `decide`. */
export type DecideAudit = (route: UndecidedRoute) => RouteAudit | undefined;

const NAME = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*';
const RESOURCE = new RegExp(`^${NAME}$`);
const ACTION = new RegExp(`^${NAME}(?:\\.${NAME})+$`);
const MAX_NAME_LENGTH = 100;

/** Safe methods (RFC 9110, 9.2.1), and QUERY. */
export const READING_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'];

const VERBS: Readonly<Record<string, string>> = {
  GET: 'read',
  HEAD: 'read',
  QUERY: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

const decisionRule = group<{
  [Name in Exclude<keyof RouteAuditMembers, 'valueOf'>]-?: RouteAuditMembers[Name] | undefined;
}>({
  action: optional(option<string>({ meaning: "like 'session.end'", accepts: (value) => isName(value, ACTION) })),
  resource: optional(
    option<string>({ meaning: "a noun such as 'login-attempt'", accepts: (value) => isName(value, RESOURCE) }),
  ),
  required: optional(oneOf<RecordRequirement>(['before-reply', 'after-reply'])),
  changes: optional(oneOf<RouteChanges>(['outside', 'in-handler', 'nothing'])),
  parameters: flag({ default: true }),
});

const UNDECIDED =
  "config.audit is missing; give a resource such as 'payment', or false. For routes of other plugins, use the option decide";

/** Reads a route's `config.audit`. The decision null means that nothing is recorded. */
export function readRouteAudit(
  { methods, url, config }: DescribedRoute,
  { writes, decide }: { readonly writes: RouteChanges; readonly decide: DecideAudit },
): RouteReading<CheckedRouteAudit | null> {
  const { given, faults: decideFaults } =
    config.audit === undefined ? askDecision(decide, { methods, url }) : { given: config.audit, faults: [] };
  if (decideFaults.length > 0) return { decision: null, faults: decideFaults };
  if (given === false) return { decision: null, faults: [] };
  if (given === undefined) {
    const isPreflight = methods.every((method) => method === 'OPTIONS');
    return { decision: null, faults: isPreflight ? [] : [UNDECIDED] };
  }
  const decision: unknown = typeof given === 'string' ? { resource: given } : given;
  const faults = decisionFaults(decision);
  if (faults.length > 0) return { decision: null, faults };
  const { action, resource, required = null, parameters = true, ...more } = decision as RouteAuditDecision;
  const reads = methods.every((method) => READING_METHODS.includes(method));
  const changes = more.changes ?? (reads ? 'nothing' : writes);
  if (required === 'after-reply' && changes !== 'nothing') {
    const fault = "config.audit.required: 'after-reply' is for routes that change nothing (config.audit.changes)";
    return { decision: null, faults: [fault] };
  }
  return {
    decision: {
      actionOf: (method) => action ?? `${resource}.${VERBS[method] ?? method.toLowerCase()}`,
      required,
      changes,
      keepsParameters: parameters,
    },
    faults: [],
  };
}

/** Whether a `config` asks for records. */
export function declaresAudit({ audit }: DescribedRoute['config']): boolean {
  return audit !== undefined && audit !== false;
}

function decisionFaults(decision: unknown): readonly string[] {
  if (!isObject(decision)) return ["config.audit must be false, a resource such as 'payment', or an object"];
  const faults = decisionRule.faults(decision, 'config.audit');
  const { action, resource } = decision as RouteAuditMembers;
  if (faults.length > 0 || (action === undefined) !== (resource === undefined)) return faults;
  return ['config.audit needs either action or resource'];
}

function isName(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH && pattern.test(value);
}
