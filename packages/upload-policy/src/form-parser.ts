import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UploadPolicySetupError } from './errors.js';

const FORM = 'multipart/form-data';

/** The first decorator that @fastify/multipart adds to the instance. */
const DECORATOR_OF_MULTIPART = 'multipartErrors';

const WAY_OUT =
  'Remove it, since upload-policy brings @fastify/multipart with it. For routes that read forms in another way, ' +
  'register the other parser and upload-policy in two sibling scopes, neither of them wrapped in fastify-plugin';

/**
 * Registers the parser of forms. Another parser in the same scope or above would read the body first, or with other
 * bounds. A parser that is registered later would fail by itself, without a reason in its message.
 *
 * @throws UploadPolicySetupError if a form is parsed here already
 */
export async function registerFormParser(fastify: FastifyInstance): Promise<void> {
  if (fastify.hasDecorator('uploadPolicy'))
    refuse('it is registered already, in this scope or in one above: remove one registration');
  if (fastify.hasRequestDecorator('parts') || fastify.hasContentTypeParser(FORM)) {
    refuse(`another parser of ${FORM} (@fastify/multipart?) is registered here, or in a scope above. ${WAY_OUT}`);
  }
  const restore = refuseOtherReaders(fastify);
  try {
    await fastify.register(multipart);
  } finally {
    restore();
  }
  refuseLaterParser(fastify);
}

/** The request methods that read a form without the policy. */
const READERS: readonly string[] = ['file', 'files', 'formData', 'parts', 'saveRequestFiles'];

/** The reader of @fastify/multipart, which the decorator of the same name hides. */
type ReadParts = FastifyRequest['parts'];
const kReadParts = Symbol('upload-policy.readParts');

/**
 * The reader of the parts of a form, for `receive` only. Every other way to read a form is refused.
 *
 * @throws UploadPolicySetupError if the request is of a scope without the plugin
 */
export function partsReaderOf(request: FastifyRequest): ReadParts {
  const readParts = Reflect.get(request, kReadParts) as ReadParts | undefined;
  if (readParts === undefined) refuse('receive was called in a scope in which upload-policy is not registered');
  return readParts.bind(request);
}

/**
 * While @fastify/multipart is registered, decorates the request with methods that refuse. They replace the methods that
 * read the form, which would accept unchecked files. Requirement ADP-10.
 *
 * @returns a function that ends this
 */
function refuseOtherReaders(fastify: FastifyInstance): () => void {
  const original = fastify.decorateRequest as (...given: unknown[]) => FastifyInstance;
  const value = function decorateRequest(this: FastifyInstance, name: unknown, ...given: unknown[]) {
    if (!READERS.includes(name as string)) return original.call(this, name, ...given);
    if (name === 'parts') original.call(this, kReadParts, given[0]);
    return original.call(this, name, function refuseReading() {
      refuse(`request.${name as string}() would take files without the policy: call app.uploadPolicy.receive`);
    });
  };
  const isOwn = Object.hasOwn(fastify, 'decorateRequest');
  Object.defineProperty(fastify, 'decorateRequest', { configurable: true, writable: true, value });
  return () => {
    if (isOwn)
      Object.defineProperty(fastify, 'decorateRequest', { configurable: true, writable: true, value: original });
    else Reflect.deleteProperty(fastify, 'decorateRequest');
  };
}

/** Registrations that clash with those of the parser. Each returns the instance. */
type Registration = 'addContentTypeParser' | 'decorate' | 'decorateRequest';

/**
 * Fastify calls no hook before it runs a plugin of the same scope, and an error that such a plugin throws would end the
 * process. Therefore the methods that another parser calls are shadowed on this instance, and scopes below inherit
 * them. Clashing calls have no effect, and the start is refused when everything is loaded. Other calls pass unchanged.
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
