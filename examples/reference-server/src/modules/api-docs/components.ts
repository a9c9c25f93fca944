const instant = { type: 'integer', minimum: 0, description: 'Milliseconds since the Unix epoch.' };

/** Components that no route schema defines: refusals and headers. */
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
    'Retry-After': {
      schema: { type: 'integer', minimum: 1 },
      description: 'Seconds until the client may try again.',
    },
    'WWW-Authenticate': { schema: { type: 'string' }, description: 'RFC 6750.' },
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
        'The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it.',
    },
  },
  schemas: {
    ServiceTime: {
      type: 'object',
      required: ['data'],
      additionalProperties: false,
      properties: {
        data: {
          type: 'object',
          required: ['serverTime'],
          additionalProperties: false,
          properties: { serverTime: instant },
        },
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
            'exempt',
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
            exempt: {
              type: 'array',
              items: { type: 'string' },
              description: 'The routes that are never encrypted, PATH or PATH METHOD. For people; a client ignores it.',
            },
          },
        },
      },
    },
  },
} as const;

/**
 * The schema of all refusals.
 *
 * @param table the texts of their codes, in Markdown
 */
export const problemSchema = (table: string) => ({
  Problem: {
    type: 'object',
    description: `A refusal (RFC 9457). \`code\` is stable, for programs; \`detail\` is for people.\n\n${table}`,
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
      captcha: { type: 'string', description: 'Where to get the captcha: the path of a GET request, with its query.' },
    },
  },
});
