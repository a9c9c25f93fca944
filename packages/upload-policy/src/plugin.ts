import { requireScope } from '@sallyport/route-coverage';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import {
  UploadNotStoredError,
  UploadPolicySetupError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
} from './errors.js';
import { registerFormParser } from './form-parser.js';
import { readUploadPolicyOptions, type UploadPolicyOptions } from './options.js';
import { createPolicyReader, extensionsOf } from './policy/index.js';
import { countUploadsUnderWay, lingerAfterAnswer, receiveUpload, type UploadReceiver } from './receiving/index.js';

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
  const received = new WeakSet<FastifyRequest>();

  // Logged here because an application's error handler may hide the cause.
  function logUnavailable(error: unknown): never {
    if (error instanceof UploadPolicyUnavailableError)
      fastify.log.error({ err: error }, 'The upload policy is unusable');
    if (error instanceof UploadNotStoredError) fastify.log.error({ err: error }, 'An upload could not be stored');
    throw error;
  }

  await registerFormParser(fastify);

  fastify.decorate('uploadPolicy', {
    async receive(request, destination) {
      received.add(request);
      return receiveUpload(request, destination, askPolicy, options, underWay).catch(logUnavailable);
    },
    async countWhile(request, work) {
      const end = underWay.begin(options.uploaderOf(request));
      try {
        return await work();
      } finally {
        end();
      }
    },
    async assertPreviewable(extension) {
      const { publicPreviewEnabled, publicPreviewAllowedExtensions } = await askPolicy().catch(logUnavailable);
      const isListed = extensionsOf(publicPreviewAllowedExtensions).includes(extension);
      if (!publicPreviewEnabled || !isListed) throw new UploadPreviewRefusedError();
    },
  } satisfies UploadReceiver);

  fastify.addHook('onResponse', function endBody(request, _reply, done) {
    if (received.has(request)) lingerAfterAnswer(request.raw);
    done();
  });
}

/** Decorates `fastify.uploadPolicy`, whose `receive` a route calls. */
export const uploadPolicy = fp(uploadPolicyPlugin, { fastify: '5.x', name: '@sallyport/upload-policy' });
