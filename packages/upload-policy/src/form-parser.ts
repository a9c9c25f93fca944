import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { UploadPolicySetupError } from './errors.js';

const FORM = 'multipart/form-data';

/** What @fastify/multipart decorates the instance with, before anything else. */
const DECORATOR_OF_MULTIPART = 'multipartErrors';

const WAY_OUT =
  'Remove it, since upload-policy brings @fastify/multipart with it. For routes that read forms in another way, ' +
  'register the other parser and upload-policy in two sibling scopes, neither of them wrapped in fastify-plugin';

/**
 * Registers the parser of forms. Another one in the same scope or above would read the body first, or by other bounds;
 * one that is registered later would fail by itself, with a message that doesn't say why. Requirement ADP-10.
 *
 * @throws UploadPolicySetupError if a form is parsed here already
 */
export async function registerFormParser(fastify: FastifyInstance): Promise<void> {
  if (fastify.hasDecorator('uploadPolicy'))
    refuse('it is registered already, in this scope or in one above: remove one registration');
  if (fastify.hasRequestDecorator('parts') || fastify.hasContentTypeParser(FORM)) {
    refuse(`another parser of ${FORM} (@fastify/multipart?) is registered here, or in a scope above. ${WAY_OUT}`);
  }
  await registerMultipart(fastify);
  refuseLaterParser(fastify);
}

/** Reads the parts of a form, unchecked. For `receive` alone. */
export const kParts = Symbol('upload-policy.parts');

/** What @fastify/multipart decorates requests with, for handlers that read forms by themselves. */
const READERS: readonly unknown[] = ['file', 'files', 'formData', 'parts', 'saveRequestFiles'];

/** A handler with `request.file()` would store files that no policy has checked: each reader throws in its place. */
async function registerMultipart(fastify: FastifyInstance): Promise<void> {
  const original = fastify.decorateRequest as (...given: unknown[]) => FastifyInstance;
  function decorateRequest(this: FastifyInstance, name: unknown, ...value: unknown[]): FastifyInstance {
    if (!READERS.includes(name)) return original.call(this, name, ...value);
    if (name === 'parts') original.call(this, kParts, ...value);
    return original.call(this, name, function refuseUnchecked() {
      refuse(`request.${name} would read files unchecked: call app.uploadPolicy.receive(request, destination)`);
    });
  }
  Object.defineProperty(fastify, 'decorateRequest', { configurable: true, writable: true, value: decorateRequest });
  await fastify.register(multipart);
  Object.defineProperty(fastify, 'decorateRequest', { configurable: true, writable: true, value: original });
}

/** Registrations that clash with those of the parser. Each returns the instance. */
type Registration = 'addContentTypeParser' | 'decorate' | 'decorateRequest';

/**
 * Fastify calls no hook before it runs a plugin of the same scope, and an error that such a plugin throws while it runs
 * would end the process. So the methods that another parser calls are shadowed on this instance, and inherited by
 * scopes below: what clashes is left out, and the start is refused when everything is loaded. Other calls pass
 * unchanged.
 */
function refuseLaterParser(fastify: FastifyInstance): void {
  let isFound = false;
  let isLoaded = false;

  function shadow(method: Registration, isClash: (scope: FastifyInstance, given: unknown) => boolean): void {
    const original = fastify[method] as (...given: unknown[]) => FastifyInstance;
    const value = function register(this: FastifyInstance, ...given: unknown[]) {
      if (isLoaded || !isClash(this, given[0])) return original.apply(this, given);
      isFound = true;
      return this;
    };
    Object.defineProperty(fastify, method, { configurable: true, writable: true, value });
  }

  shadow('decorate', (_scope, name) => name === DECORATOR_OF_MULTIPART);
  shadow('addContentTypeParser', (_scope, types) => [types].flat().includes(FORM));
  shadow('decorateRequest', (scope, name) => isFound && scope.hasRequestDecorator(name as string));
  fastify.addHook('onReady', async function refuseSecondParser() {
    isLoaded = true;
    if (isFound) refuse(`another parser of ${FORM} (@fastify/multipart?) is registered after it. ${WAY_OUT}`);
  });
}

function refuse(fault: string): never {
  throw new UploadPolicySetupError('upload-policy', [fault]);
}
