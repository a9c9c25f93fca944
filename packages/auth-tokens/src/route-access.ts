import { isPermissionCode } from './permissions.js';

/** What a route's `config` says, checked when the route is added. A union: no state means "open" by accident. */
export type RouteAccess =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'protected';
      readonly audiences: readonly string[];
      readonly permissions: readonly string[];
      readonly takesQueryToken: boolean;
    }
  /** A route for OPTIONS alone without a word about access: CORS preflights pass, all else needs a token. */
  | { readonly kind: 'preflight' };

/** The properties of a route that decide. */
export interface RouteDescription {
  readonly method: string | readonly string[];
  readonly url: string;
  readonly config: { readonly access?: unknown; readonly permission?: unknown; readonly queryToken?: unknown };
}

export interface RouteRules {
  readonly audiences: readonly string[];
  readonly permissions: readonly string[];
  readonly canLoadPermissions: boolean;
}

/** The access of a route and every fault of its `config`. A route with a fault never serves: the start is refused. */
export function readRouteAccess(route: RouteDescription, rules: RouteRules): { access: RouteAccess; faults: string[] } {
  const { access, permission, queryToken } = route.config;
  const methods = [route.method].flat();
  if (access === undefined && permission === undefined && methods.every((method) => method === 'OPTIONS')) {
    return { access: { kind: 'preflight' }, faults: [] };
  }
  const permissions = permission === undefined ? [] : [permission].flat();
  const where = `${methods.join(', ')} ${route.url}`;
  const faults = [
    ...accessFaults(access, rules.audiences),
    ...permissions.flatMap((code) => permissionFaults(code, rules)),
    ...queryTokenFaults(queryToken, methods),
    ...(permission !== undefined && permissions.length === 0 ? ['config.permission is empty'] : []),
    ...(access === 'public' && permissions.length > 0 ? ['a public route has no config.permission'] : []),
    ...(access === 'public' && queryToken === true ? ['a public route has no config.queryToken'] : []),
  ].map((fault) => `${where}: ${fault}`);
  if (access === 'public') return { access: { kind: 'public' }, faults };
  const audiences = access === undefined ? rules.audiences : ([access].flat() as string[]);
  const takesQueryToken = queryToken === true;
  return { access: { kind: 'protected', audiences, permissions: permissions as string[], takesQueryToken }, faults };
}

function accessFaults(access: unknown, audiences: readonly string[]): string[] {
  const choices = audiences.map((audience) => `'${audience}'`).join(', ');
  if (access === undefined) {
    return audiences.length === 1 ? [] : [`config.access is missing; give 'public', or who may call it: ${choices}`];
  }
  if (access === 'public') return [];
  const named = [access].flat();
  if (named.length === 0) return ['config.access is an empty list'];
  return named
    .filter((audience) => typeof audience !== 'string' || !audiences.includes(audience))
    .map((audience) => `config.access names '${String(audience)}', which is none of 'public' (alone), ${choices}`);
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
  // Fastify derives HEAD from GET with the same config; HEAD itself takes no query token.
  return methods.every((method) => method === 'GET' || method === 'HEAD') ? [] : ['config.queryToken is for GET alone'];
}
