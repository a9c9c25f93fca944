import { UPLOAD_REFUSAL_REASONS } from './files/index.js';

const text = { type: 'string' } as const;

/**
 * The JSON schema of a refusal, for `schema.response['4xx']` of a route that calls `receive`. Fastify's own error
 * handler sends `reason` and `errors` only if the schema of the answer has them.
 */
export const uploadRefusalSchema = {
  type: 'object',
  properties: {
    statusCode: { type: 'integer' },
    code: text,
    error: text,
    message: text,
    reason: { type: 'string', enum: UPLOAD_REFUSAL_REASONS },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { pointer: text, detail: text } },
    },
  },
  // Members that an error handler of the application adds are sent as well.
  additionalProperties: true,
} as const;
