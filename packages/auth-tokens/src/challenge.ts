import type { FastifyReply } from 'fastify';
import { isTokenRefused, PermissionDeniedError, SessionPurposeError, TokenMissingError } from './errors.js';

/** A refusal names the scheme, and the error unless the token was missing. */
export function challenge(reply: FastifyReply, error: unknown): void {
  if (error instanceof TokenMissingError) reply.header('www-authenticate', 'Bearer');
  else if (isTokenRefused(error)) {
    reply.header('www-authenticate', `Bearer error="invalid_token", error_description="${error.message}"`);
  } else if (error instanceof PermissionDeniedError || error instanceof SessionPurposeError) {
    reply.header('www-authenticate', 'Bearer error="insufficient_scope"');
  }
}
