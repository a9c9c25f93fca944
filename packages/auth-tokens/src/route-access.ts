import type { FastifyInstance } from 'fastify';
import { isPermissionCode } from './permissions.js';

/** The access that a route's `config` declares. */
export type RouteAccess =
  | { readonly kind: 'public' }
  | {
      readonly kind: 'protected';
      readonly audiences: readonly string[];
      readonly permissions: readonly string[];
      readonly takesQueryToken: boolean;
    }
  /** A route for OPTIONS alone without `config.access`: CORS preflights pass, other requests need a token. */
  | { readonly kind: 'preflight' };

/** The properties of a route that determine its access. */
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

/** The access of a route, and every fault of its `config`. A fault stops the start, so such a route never serves. */
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
  // Fastify derives HEAD from GET with the same config; a HEAD request's query token is ignored.
  return methods.every((method) => method === 'GET' || method === 'HEAD') ? [] : ['config.queryToken is for GET alone'];
}

/**
 * The routes that exist already, as Fastify prints them: the plugin's hooks may not run for them. Routes for OPTIONS
 * alone are left out: @fastify/cors adds one, and is registered first, so that refusals have its headers.
 */
export function earlierRoutes(fastify: FastifyInstance): string[] {
  const lines = fastify.printRoutes({ commonPrefix: false }).split('\n');
  return lines
    .map((line) => line.replace(/^[│├└─\s]+/, ''))
    .filter((line) => line.endsWith(')') && !line.endsWith(' (OPTIONS)') && line !== '(empty tree)');
}
