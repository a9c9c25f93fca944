import { unknownNameFaults } from '@sallyport/plugin-kit/options';
import { askDecision, type DescribedRoute, type RouteReading, type UndecidedRoute } from '@sallyport/plugin-kit/routes';
import type { Audience, Permission } from './declared-names.js';
import { isPermissionCode } from './permission-codes.js';
import type { SessionPurposes } from './sessions/index.js';

export type { UndecidedRoute };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The audiences that may call the route, or `public`. Required if there are several. Default: the only one. */
    access?: 'public' | Audience | readonly Audience[];
    /** The permission that the principal needs, or a list of permissions that it needs. */
    permission?: Permission | readonly Permission[];
    /** Whether the route accepts `?access_token=` (GET), if the option `allowQueryToken` is on. Default false. */
    queryToken?: boolean;
    /**
     * The purposes of sessions that the route serves in addition to full sessions, from the option `purposes`. Default
     * none: a session with a purpose is refused.
     */
    sessionPurposes?: readonly string[];
  }
}

/** The access of a route. */
export type AccessDecision =
  | 'public'
  | Audience
  | readonly Audience[]
  | {
      readonly access: 'public' | Audience | readonly Audience[];
      readonly permission?: Permission | readonly Permission[];
    };

/** The option `decide`. */
export type DecideAccess = (route: UndecidedRoute) => AccessDecision | undefined;

/** The access that a route's `config` declares. */
export type RouteAccess =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'protected';
      readonly audiences: readonly string[];
      readonly permissions: readonly string[];
      readonly takesQueryToken: boolean;
      /** The purposes of sessions that it serves, in addition to full sessions. */
      readonly sessionPurposes: readonly string[];
    }
  /** A route for OPTIONS alone without `config.access`. CORS preflights pass; other requests need a token. */
  | { readonly kind: 'preflight' };

/** Nobody may call it. */
export const closedRoute = {
  kind: 'protected',
  audiences: [],
  permissions: [],
  takesQueryToken: false,
  sessionPurposes: [],
} satisfies RouteAccess;

/** The purposes of sessions that a route serves. */
export function purposesOf(access: RouteAccess): readonly string[] {
  return access.kind === 'protected' ? access.sessionPurposes : [];
}

/** The permissions that a route needs. */
export function codesOf(access: RouteAccess): readonly string[] {
  return access.kind === 'protected' ? access.permissions : [];
}

export interface RouteRules {
  readonly audiences: readonly string[];
  readonly permissions: readonly string[];
  readonly canLoadPermissions: boolean;
  readonly purposes: SessionPurposes;
  readonly decide: DecideAccess;
}

/** The access of a route, and every fault of its `config`. A fault stops the start, so such a route never serves. */
export function readRouteAccess(route: DescribedRoute, rules: RouteRules): RouteReading<RouteAccess> {
  const { methods } = route;
  const { config, faults: decideFaults } = accessConfig(route, rules.decide);
  if (decideFaults.length > 0) return { decision: closedRoute, faults: decideFaults };
  const { access, permission, queryToken, sessionPurposes, ...unknown } = config;
  if (access === undefined && permission === undefined && methods.every((method) => method === 'OPTIONS')) {
    return { decision: { kind: 'preflight' }, faults: [] };
  }
  const permissions = permission === undefined ? [] : [permission].flat();
  const faults = [
    ...unknownNameFaults(Object.keys(unknown), ['access', 'permission'], { path: 'the result of decide: ' }),
    ...accessFaults(access, rules.audiences),
    ...permissions.flatMap((code) => permissionFaults(code, rules)),
    ...queryTokenFaults(queryToken, methods),
    ...sessionPurposeFaults(sessionPurposes, rules, access),
    ...(permission !== undefined && permissions.length === 0 ? ['config.permission is empty'] : []),
    ...(access === 'public' && permissions.length > 0 ? ['a public route has no config.permission'] : []),
    ...(access === 'public' && queryToken === true ? ['a public route has no config.queryToken'] : []),
  ];
  if (access === 'public') return { decision: { kind: 'public' }, faults };
  const audiences = access === undefined ? rules.audiences : ([access].flat() as string[]);
  const takesQueryToken = queryToken === true;
  const decision = {
    kind: 'protected',
    audiences,
    permissions: permissions as string[],
    takesQueryToken,
    sessionPurposes: (sessionPurposes ?? []) as readonly string[],
  } as const;
  return { decision, faults };
}

/** Whether a `config` asks for protection. */
export function declaresAccess(config: DescribedRoute['config']): boolean {
  const { access, permission, queryToken, sessionPurposes } = config;
  const isLimited = (access !== undefined && access !== 'public') || permission !== undefined;
  return isLimited || queryToken === true || sessionPurposes !== undefined;
}

/** The access in the route's own `config`, or else the result of `decide`. */
function accessConfig(
  { methods, url, config }: DescribedRoute,
  decide: DecideAccess,
): { readonly config: DescribedRoute['config']; readonly faults: readonly string[] } {
  const { access, permission, queryToken, sessionPurposes } = config;
  const own = { queryToken, sessionPurposes };
  if (access !== undefined || permission !== undefined) return { config: { access, permission, ...own }, faults: [] };
  const { given, faults } = askDecision(decide, { methods, url });
  const isWhole = typeof given === 'object' && given !== null && !Array.isArray(given);
  return { config: { ...own, ...(isWhole ? given : { access: given }) }, faults };
}

function accessFaults(access: unknown, audiences: readonly string[]): string[] {
  const choices = audiences.map((audience) => `'${audience}'`).join(', ');
  if (access === undefined) {
    return audiences.length === 1
      ? []
      : [
          `config.access is missing; give 'public', or who may call it: ${choices}. For routes of other plugins, use the option decide`,
        ];
  }
  if (access === 'public') return [];
  const named = [access].flat();
  if (named.length === 0) return ['config.access is an empty list'];
  return named
    .filter((audience) => typeof audience !== 'string' || !audiences.includes(audience))
    .map((audience) => `config.access names '${String(audience)}', which is not one of 'public' (alone), ${choices}`);
}

function permissionFaults(code: unknown, { permissions, canLoadPermissions }: RouteRules): string[] {
  if (typeof code === 'string' && code.includes('*')) {
    return [`config.permission '${code}' has a wildcard; only grants may end in one`];
  }
  if (!isPermissionCode(code) || !permissions.includes(code)) {
    return [`config.permission '${String(code)}' is not declared in the option permissions`];
  }
  return canLoadPermissions ? [] : [`config.permission '${code}' needs the option loadPermissions`];
}

function queryTokenFaults(queryToken: unknown, methods: readonly string[]): string[] {
  if (queryToken === undefined || queryToken === false) return [];
  if (queryToken !== true) return ['config.queryToken must be true or false'];
  // Fastify derives HEAD from GET with the same config; a HEAD request's query token is ignored.
  return methods.every((method) => method === 'GET' || method === 'HEAD') ? [] : ['config.queryToken is for GET alone'];
}

function sessionPurposeFaults(served: unknown, { purposes }: RouteRules, access: unknown): string[] {
  if (served === undefined) return [];
  if (!Array.isArray(served)) return ['config.sessionPurposes must be a list of purposes'];
  if (access === 'public') return ['a public route has no config.sessionPurposes'];
  return served
    .filter((purpose) => typeof purpose !== 'string' || !Object.hasOwn(purposes, purpose))
    .map((purpose) => `config.sessionPurposes names '${String(purpose)}', which is not one of the option purposes`);
}
