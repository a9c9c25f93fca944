import { defineParameterTable } from '@sallyport/system-parameters';
import { uploadPolicyParameters } from '@sallyport/upload-policy';
import type { FastifyRequest } from 'fastify';

export const uploadPolicyParameterTable = defineParameterTable<typeof uploadPolicyParameters, FastifyRequest>({
  definitions: uploadPolicyParameters,
});
