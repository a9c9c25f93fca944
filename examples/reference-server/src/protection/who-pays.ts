import type { Principal } from '@sallyport/auth-tokens';
import { counterKey } from '@sallyport/client-ip';
import type { FastifyRequest } from 'fastify';

/**
 * For whom a request is counted once its token was checked: the session, or the address of who has none. So nobody
 * uses up what a signed-in neighbour behind the same address may send (ORD-7).
 */
export function whoPays({ principal, clientIp }: Pick<FastifyRequest, 'principal' | 'clientIp'>): string {
  return principal === null ? counterKey(clientIp) : sessionPays(principal);
}

export function sessionPays({ sessionId }: Principal): string {
  return `session-${sessionId}`;
}
