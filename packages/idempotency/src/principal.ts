import type { FastifyInstance } from 'fastify';
import { IdempotencySetupError } from './errors.js';

/**
 * The default `principalOf`: `audience:subject` of `request.principal`, as @sallyport/auth-tokens sets it; null if
 * nobody is signed in. Without the encoding, `a:b` with `c` would be the same principal as `a` with `b:c`.
 *
 * @throws {IdempotencySetupError} if `request.principal` is of another shape
 */
export function nameRequestPrincipal(request: object): string | null {
  const { principal } = request as { readonly principal?: unknown };
  if (principal === undefined || principal === null) return null;
  const { audience, subject } = principal as { readonly audience?: unknown; readonly subject?: unknown };
  if (isName(audience) && isName(subject)) return `${audience.replace(/[%:]/g, encodeURIComponent)}:${subject}`;
  throw new IdempotencySetupError('idempotency', [
    `principalOf is required: request.principal is ${kindOf(principal)}, not { audience, subject } of non-empty ` +
      'strings; give principalOf: (request) => the id of the signed-in caller',
  ]);
}

/**
 * The owner of the key. The result of `principalOf` must identify one caller: with undefined, an empty text or a
 * promise, all callers would share their keys.
 *
 * @throws {IdempotencySetupError} if it names none
 */
export function readPrincipal(given: unknown, routeName: string, isPublic: () => boolean): string | null {
  refuseForeignPrincipal('idempotency', `principalOf on ${routeName}`, given);
  if (given !== null || isPublic()) return given;
  throw new IdempotencySetupError('idempotency', [
    `principalOf returned null on ${routeName}, which is not public: authenticate the request before idempotency, or ` +
      'return the id of the caller',
  ]);
}

/** Null or a non-empty text. The error names the kind of the value, never the value. */
export function refuseForeignPrincipal(subject: string, name: string, given: unknown): asserts given is string | null {
  if (given === null || isName(given)) return;
  // The promise is not awaited. Its rejection would end the process.
  if (given instanceof Promise) given.catch(() => {});
  throw new IdempotencySetupError(subject, [
    `${name} must be a non-empty string, or null for a caller who is not signed in; it is ${kindOf(given)}` +
      (isThenable(given) ? ': load the caller in a hook before, and return what it found' : ''),
  ]);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === '') return 'an empty string';
  if (isThenable(value)) return 'a promise';
  if (Array.isArray(value)) return 'an array';
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

export function principalFaults(fastify: FastifyInstance): string[] {
  if (fastify.hasRequestDecorator('principal')) return [];
  return ['principalOf is required where nothing decorates request.principal: all callers would share their keys'];
}
