import type { FastifyContextConfig, FastifySchema } from 'fastify';

/** The properties of a route that the document describes. */
export interface DocumentedRoute {
  readonly method: string;
  /** In the router's syntax: `/admin/roles/:id`. */
  readonly url: string;
  readonly config: FastifyContextConfig;
  readonly schema: FastifySchema;
  /** The name of the route's handler. It is the operation id. */
  readonly handlerName: string;
  /** Whether the route is unencrypted in every encryption mode. */
  readonly isInTheClear: boolean;
}

/** The audiences whose tokens the route accepts. Empty if the route is public. */
export function audiencesOf({ config: { access = [] } }: DocumentedRoute): readonly string[] {
  return access === 'public' ? [] : [access].flat();
}

/** The permissions that a caller needs, all of them. */
export function permissionsOf({ config: { permission = [] } }: DocumentedRoute): readonly string[] {
  return [permission].flat();
}

/** How the route treats the header `Idempotency-Key`. */
export function idempotencyOf({ config: { idempotency = false } }: DocumentedRoute): 'required' | 'taken' | null {
  if (idempotency === false) return null;
  return idempotency === true || idempotency.required ? 'required' : 'taken';
}

/** The route's own rate limit. null: no limit. undefined: the default limit. */
export function rateLimitOf({ config }: DocumentedRoute): { max?: unknown; timeWindow?: unknown } | null | undefined {
  const { rateLimit } = config as { rateLimit?: false | { max?: unknown; timeWindow?: unknown } };
  return rateLimit === false ? null : rateLimit;
}

/** Whether safe mode refuses the route (OPS-4). */
export function isRefusedInSafeMode({ method, config }: DocumentedRoute): boolean {
  return config.safeMode === undefined ? method !== 'GET' : config.safeMode === 'refused';
}

/** Whether the route is refused to a session whose owner has to change the password first (PWD-7). */
export function isRefusedBeforePasswordChange(route: DocumentedRoute): boolean {
  return audiencesOf(route).length > 0 && route.config.beforePasswordChange !== 'served';
}

/** Whether it serves the sessions of sign-ins, whatever step they lack. */
export function endsPendingSessions({ config }: DocumentedRoute): boolean {
  return (config.sessionPurposes ?? []).length > 1;
}
