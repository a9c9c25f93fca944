import type { FastifyContextConfig, FastifySchema } from 'fastify';

/** A route as the document needs to know it. */
export interface DocumentedRoute {
  readonly method: string;
  /** With parameters as the router writes them: `/admin/roles/:id`. */
  readonly url: string;
  readonly config: FastifyContextConfig;
  readonly schema: FastifySchema;
  /** The name of its handler, which is its operation id. */
  readonly handlerName: string;
  /** Whether it is in the clear in every encryption mode. */
  readonly isInTheClear: boolean;
}

/** The audiences whose tokens it takes; none where it is public. */
export function audiencesOf({ config: { access = [] } }: DocumentedRoute): readonly string[] {
  return access === 'public' ? [] : [access].flat();
}

/** The permissions that a caller needs, all of them. */
export function permissionsOf({ config: { permission = [] } }: DocumentedRoute): readonly string[] {
  return [permission].flat();
}

/** What becomes of the header `Idempotency-Key` there. */
export function idempotencyOf({ config: { idempotency = false } }: DocumentedRoute): 'required' | 'taken' | null {
  if (idempotency === false) return null;
  return idempotency === true || idempotency.required ? 'required' : 'taken';
}

/** The route's own limit of requests; null: none at all; undefined: that of all routes without one. */
export function rateLimitOf({ config }: DocumentedRoute): { max?: unknown; timeWindow?: unknown } | null | undefined {
  const { rateLimit } = config as { rateLimit?: false | { max?: unknown; timeWindow?: unknown } };
  return rateLimit === false ? null : rateLimit;
}

/** Whether safe mode refuses it (OPS-4). */
export function isRefusedInSafeMode({ method, config }: DocumentedRoute): boolean {
  return config.safeMode === undefined ? method !== 'GET' : config.safeMode === 'refused';
}
