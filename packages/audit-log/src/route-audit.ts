/** When the reply leaves: once the record is committed, or before. Requirement AUD-4. */
export type RecordRequirement = 'before-reply' | 'after-reply';

/** An audit decision in full. */
export interface RouteAuditDecision {
  /** What the route does, such as `session.end`. Either this or `resource`. */
  readonly action?: string;
  /** What the route works on, such as `payment`: the action is made from the method, `payment.create`. */
  readonly resource?: string;
  /** Default: the plugin's option `required`. */
  readonly required?: RecordRequirement;
  /** Whether params, query and body are kept, masked. Default true. */
  readonly parameters?: boolean;
}

/**
 * What is recorded of a route: a resource, whose actions are made from the methods (`payment.create`, `.read`, `.update`,
 * `.delete`); a decision in full; or false, nothing at all, refusals included. Requirement AUD-1.
 */
export type RouteAudit = false | string | RouteAuditDecision;

/** A decision, checked. */
export interface CheckedRouteAudit {
  readonly actionOf: (method: string) => string;
  readonly required: RecordRequirement | null;
  readonly keepsParameters: boolean;
}

export const kRouteAudit = Symbol('@sallyport/audit-log: decision');

/** The decision of a route, as its checked `config` has it. */
export function decisionOf(config: object): CheckedRouteAudit | null {
  return (config as { [kRouteAudit]?: CheckedRouteAudit | null })[kRouteAudit] ?? null;
}

const NAME = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*';
const RESOURCE = new RegExp(`^${NAME}$`);
const ACTION = new RegExp(`^${NAME}(?:\\.${NAME})+$`);
const MAX_NAME_LENGTH = 100;

const VERBS: Readonly<Record<string, string>> = {
  GET: 'read',
  HEAD: 'read',
  QUERY: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

const KNOWN_MEMBERS = ['action', 'resource', 'required', 'parameters'];

/** Reads a route's `config.audit`. Null: nothing is recorded. */
export function readRouteAudit(given: unknown): {
  readonly audit: CheckedRouteAudit | null;
  readonly fault: string | null;
} {
  if (given === false) return { audit: null, fault: null };
  const decision: unknown = typeof given === 'string' ? { resource: given } : given;
  const fault = faultOf(decision);
  if (fault !== null) return { audit: null, fault };
  const { action, resource, required = null, parameters = true } = decision as RouteAuditDecision;
  return {
    audit: {
      actionOf: (method) => action ?? `${resource}.${VERBS[method] ?? method.toLowerCase()}`,
      required,
      keepsParameters: parameters,
    },
    fault: null,
  };
}

function faultOf(decision: unknown): string | null {
  if (decision === undefined) return 'no decision';
  if (typeof decision !== 'object' || decision === null || Array.isArray(decision))
    return 'neither false, text nor object';
  const { action, resource, required, parameters } = decision as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(decision).filter((name) => !KNOWN_MEMBERS.includes(name));
  if (unknown.length > 0) return `${unknown.join(', ')}: known are ${KNOWN_MEMBERS.join(', ')}`;
  if ((action === undefined) === (resource === undefined)) return 'needs either action or resource';
  if (resource !== undefined && !isName(resource, RESOURCE)) return "resource must be a noun such as 'login-attempt'";
  if (action !== undefined && !isName(action, ACTION)) return "action must be like 'session.end'";
  if (required !== undefined && required !== 'before-reply' && required !== 'after-reply')
    return "required must be 'before-reply' or 'after-reply'";
  return parameters === undefined || typeof parameters === 'boolean' ? null : 'parameters must be true or false';
}

function isName(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH && pattern.test(value);
}
