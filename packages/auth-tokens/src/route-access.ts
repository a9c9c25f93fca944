import { unknownNameFaults } from '@sallyport/plugin-kit/options';
import { askDecision, type DescribedRoute, type RouteReading, type UndecidedRoute } from '@sallyport/plugin-kit/routes';
import type { Audience, Permission } from './declared-names.js';
import { isPermissionCode } from './permissions.js';

export type { UndecidedRoute };

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
    }
  /** A route for OPTIONS alone without `config.access`. CORS preflights pass; other requests need a token. */
  | { readonly kind: 'preflight' };

/** Nobody may call it. */
const CLOSED = { kind: 'protected', audiences: [], permissions: [], takesQueryToken: false } satisfies RouteAccess;

export interface RouteRules {
  readonly audiences: readonly string[];
  readonly permissions: readonly string[];
  readonly canLoadPermissions: boolean;
  readonly decide: DecideAccess;
}

/** The access of a route, and every fault of its `config`. A fault stops the start, so such a route never serves. */
export function readRouteAccess(route: DescribedRoute, rules: RouteRules): RouteReading<RouteAccess> {
  const { methods } = route;
  const { config, faults: decideFaults } = accessConfig(route, rules.decide);
  if (decideFaults.length > 0) return { decision: CLOSED, faults: decideFaults };
  const { access, permission, queryToken, ...unknown } = config;
  if (access === undefined && permission === undefined && methods.every((method) => method === 'OPTIONS')) {
    return { decision: { kind: 'preflight' }, faults: [] };
  }
  const permissions = permission === undefined ? [] : [permission].flat();
  const faults = [
    ...unknownNameFaults(Object.keys(unknown), ['access', 'permission'], { path: 'the result of decide: ' }),
    ...accessFaults(access, rules.audiences),
    ...permissions.flatMap((code) => permissionFaults(code, rules)),
    ...queryTokenFaults(queryToken, methods),
    ...(permission !== undefined && permissions.length === 0 ? ['config.permission is empty'] : []),
    ...(access === 'public' && permissions.length > 0 ? ['a public route has no config.permission'] : []),
    ...(access === 'public' && queryToken === true ? ['a public route has no config.queryToken'] : []),
  ];
  if (access === 'public') return { decision: { kind: 'public' }, faults };
  const audiences = access === undefined ? rules.audiences : ([access].flat() as string[]);
  const takesQueryToken = queryToken === true;
  const decision = { kind: 'protected', audiences, permissions: permissions as string[], takesQueryToken } as const;
  return { decision, faults };
}

/** Whether a `config` asks for protection. */
export function declaresAccess({ access, permission, queryToken }: DescribedRoute['config']): boolean {
  return (access !== undefined && access !== 'public') || permission !== undefined || queryToken === true;
}

/** The access in the route's own `config`, or else the result of `decide`. */
function accessConfig(
  { methods, url, config }: DescribedRoute,
  decide: DecideAccess,
): { readonly config: DescribedRoute['config']; readonly faults: readonly string[] } {
  const { access, permission, queryToken } = config;
  if (access !== undefined || permission !== undefined)
    return { config: { access, permission, queryToken }, faults: [] };
  const { given, faults } = askDecision(decide, { methods, url });
  const isWhole = typeof given === 'object' && given !== null && !Array.isArray(given);
  return { config: { queryToken, ...(isWhole ? given : { access: given }) }, faults };
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
