import { requireScope } from '@sallyport/plugin-kit/routes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { UploadPolicySetupError, UploadPreviewRefusedError } from './errors.js';
import { registerFormParser } from './form-parser.js';
import { readUploadPolicyOptions, type UploadPolicyOptions } from './options.js';
import { createPolicyReader, extensionsOf } from './policy/index.js';
import {
  beginUploadOf,
  countUploadsUnderWay,
  lingerAfterAnswer,
  receiveUpload,
  trackReceiveCalls,
  type UploadReceiver,
} from './receiving/index.js';
import { serializeRefusals } from './refusal-serializer.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Receives uploads through the checks of the policy. */
    readonly uploadPolicy: UploadReceiver;
  }
}

async function uploadPolicyPlugin(fastify: FastifyInstance, given: UploadPolicyOptions): Promise<void> {
  const options = readUploadPolicyOptions(given);
  requireScope(fastify, { subject: 'upload-policy', SetupError: UploadPolicySetupError, scope: options.scope });
  const askPolicy = createPolicyReader(options.policy);
  const underWay = countUploadsUnderWay(options.maxUploadsPerUploader);
  const beginUpload = (request: FastifyRequest) => beginUploadOf(request, options.uploaderOf, underWay);
  const calls = trackReceiveCalls();

  await registerFormParser(fastify);

  fastify.decorate('uploadPolicy', {
    // Not an async function, because it would return another promise than the one that records whether it is awaited.
    receive(given, destination) {
      const request = given as FastifyRequest;
      const receive = () => receiveUpload(request, destination, askPolicy, options, beginUpload);
      return calls.run(request, destination, receive);
    },
    async countWhile(request, work) {
      const end = beginUpload(request as FastifyRequest);
      try {
        return await work();
      } finally {
        end();
      }
    },
    async assertPreviewable(extension) {
      const { publicPreviewEnabled, publicPreviewAllowedExtensions } = await askPolicy();
      const isListed = extensionsOf(publicPreviewAllowedExtensions).includes(extension);
      if (!publicPreviewEnabled || !isListed) throw new UploadPreviewRefusedError();
    },
  } satisfies UploadReceiver);

  fastify.addHook('onRoute', serializeRefusals);

  fastify.addHook('onSend', function awaitForgotten(request, reply, _payload, done) {
    const forgotten = reply.statusCode < 400 ? calls.forgotten(request) : undefined;
    if (forgotten === undefined) return done();
    request.log.warn('The route answers before receive has settled: write `await app.uploadPolicy.receive(…)`');
    forgotten.then(
      () => done(),
      (error: Error) => {
        // Otherwise, Fastify would keep another success status for the refusal.
        reply.code(200);
        done(error);
      },
    );
  });

  fastify.addHook('onResponse', function endBody(request, _reply, done) {
    if (calls.has(request)) lingerAfterAnswer(request.raw);
    done();
  });
}

/**
 * Decorates `fastify.uploadPolicy`, whose `receive` a route calls.
 *
 * @example
 * ```ts
 * await app.register(uploadPolicy, { policy: { maxSizeMb: 5, allowedExtensions: 'jpg,png,pdf,txt,docx' } });
 *
 * app.post('/files', { schema: { response: { '4xx': uploadRefusalSchema } } }, async (request, reply) => {
 *   const id = randomUUID();
 *   const destination = createFileDestination({ folder, keep: (_file, path) => rename(path, join(folder, id)) });
 *   const { fileName, mediaType, size } = await app.uploadPolicy.receive(request, destination);
 *   return reply.code(201).send({ id, fileName, mediaType, size });
 * });
 * ```
 */
export const uploadPolicy = fp(uploadPolicyPlugin, { fastify: '5.x', name: '@sallyport/upload-policy' });
