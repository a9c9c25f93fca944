import { AuthTokensSetupError } from './errors.js';
import type { Principal } from './sessions/index.js';

/**
 * The sender of a request to a protected route, for handlers: `request.principal` without its null.
 *
 * @example
 * ```ts
 * app.get('/me', { config: { access: 'admin' } }, async (request) => requirePrincipal(request));
 * app.post('/logout', { config: { access: ['admin', 'app'] } }, async (request) => {
 *   return { ended: await app.authTokens.revoke(requirePrincipal(request).sessionId) };
 * });
 * ```
 *
 * @throws AuthTokensSetupError if the route is public, which is a mistake of the application (500)
 */
export function requirePrincipal(request: {
  readonly principal: Principal | null;
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
}): Principal {
  const { principal, method, routeOptions } = request;
  if (principal !== null) return principal;
  const route = `${method} ${routeOptions.url ?? 'of an unknown path'}`;
  throw new AuthTokensSetupError('requirePrincipal', [
    `nobody is identified on ${route}: give the route an audience in config.access, or read request.principal`,
  ]);
}
