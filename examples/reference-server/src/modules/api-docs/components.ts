const base64url = (length: number) => ({
  type: 'string',
  minLength: length,
  maxLength: length,
  pattern: '^[A-Za-z0-9_-]*$',
});

const instant = { type: 'integer', minimum: 0, description: 'Milliseconds since the Unix epoch.' };

/** Components that no route schema defines: refusals, envelopes and headers. */
export const components = {
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The token of a sign-in. The server checks the permissions of its holder on every request; `x-permission` of an operation lists those it requires.',
    },
    queryToken: {
      type: 'apiKey',
      in: 'query',
      name: 'access_token',
      description: 'The same token in the query, if `SERVICE_AUTH_TOKEN_ALLOW_QUERY_TOKEN` is on. Never in production.',
    },
  },
  headers: {
    'X-Request-Id': {
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
      description: 'Identifies the request in the log and in the audit log.',
    },
    'Retry-After': {
      schema: { type: 'integer', minimum: 1 },
      description: 'Seconds until the client may try again.',
    },
    'WWW-Authenticate': { schema: { type: 'string' }, description: 'RFC 6750.' },
    'Api-Encryption': {
      schema: { type: 'string', enum: ['v1'] },
      description: 'Present if and only if the answer is sealed.',
    },
  },
  parameters: {
    'Accept-Language': {
      in: 'header',
      name: 'Accept-Language',
      schema: { type: 'string' },
      description: 'Chooses the language of `detail`: English or Chinese.',
    },
    'Api-Encryption': {
      in: 'header',
      name: 'Api-Encryption',
      schema: { type: 'string', enum: ['v1'] },
      description:
        'The request is sealed: its body or `__enc` is an envelope. Every request needs it in mode REQUIRED.',
    },
    __enc: {
      in: 'query',
      name: '__enc',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
      description:
        'With `Api-Encryption`, in place of all other query parameters: the base64url of an envelope whose plaintext is the query.',
    },
  },
  schemas: {
    Problem: {
      type: 'object',
      description: 'A refusal (RFC 9457). `code` is stable, for programs; `detail` is for people.',
      required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
      additionalProperties: false,
      properties: {
        type: { type: 'string', enum: ['about:blank'] },
        title: { type: 'string' },
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: { type: 'string' },
        code: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
        requestId: { type: 'string' },
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['pointer', 'detail'],
            additionalProperties: false,
            properties: {
              pointer: { type: 'string', description: 'The place in the request (RFC 6901).' },
              detail: { type: 'string' },
            },
          },
        },
        retryAfterSeconds: { type: 'integer', minimum: 1 },
        serverTime: { ...instant, description: 'The time of the service, for clients whose clock is wrong.' },
        clientAction: { type: 'string', description: 'The recommended reaction of the client.' },
      },
    },
    Envelope: {
      type: 'object',
      description:
        'A sealed request, accepted in the modes OPTIONAL and REQUIRED with the header `Api-Encryption: v1`. The plaintext is the query, a line feed, and the body.',
      required: ['kid', 'ts', 'nonce', 'ek', 'iv', 'ct'],
      additionalProperties: false,
      properties: {
        kid: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', description: 'The key that wrapped the base key.' },
        ts: instant,
        nonce: base64url(22),
        ek: { ...base64url(151), description: 'The base key, wrapped by SM2.' },
        iv: base64url(16),
        ct: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', description: 'Ciphertext and tag of SM4-GCM.' },
      },
    },
    SealedAnswer: {
      type: 'object',
      description:
        'The answer to a sealed request, including refusals. The client restores the media type of refusals.',
      required: ['ts', 'nonce', 'iv', 'ct'],
      additionalProperties: false,
      properties: {
        ts: instant,
        nonce: { ...base64url(22), description: 'The nonce of the request.' },
        iv: base64url(16),
        ct: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
      },
    },
    EncryptionBootstrap: {
      type: 'object',
      required: ['data'],
      additionalProperties: false,
      properties: {
        data: {
          type: 'object',
          required: [
            'mode',
            'suite',
            'version',
            'timestampWindowSeconds',
            'maxPayloadBytes',
            'maxQueryBytes',
            'serverTime',
          ],
          additionalProperties: false,
          properties: {
            mode: { type: 'string', enum: ['OFF', 'OPTIONAL', 'REQUIRED'] },
            suite: { type: 'string', enum: ['sm2-sm4-gcm-v1'] },
            version: { type: 'integer', enum: [1] },
            keyId: { type: 'string', description: 'Absent in mode OFF without a key.' },
            publicKey: { type: 'string', pattern: '^04[0-9a-f]{128}$', description: '04, x, y in hex.' },
            timestampWindowSeconds: { type: 'integer' },
            maxPayloadBytes: { type: 'integer' },
            maxQueryBytes: { type: 'integer' },
            serverTime: instant,
          },
        },
      },
    },
  },
} as const;
