import { INSTANT } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';

/** The route that a client reads before it seals a request. */
export const encryptionOperations: OperationTexts = {
  'GET /encryption/public-key': {
    tag: 'Encryption',
    summary: 'Get the public key and the parameters of the protocol',
    description: 'A client reads it before it seals its first request, and again after 400 `ENVELOPE_KEY_UNKNOWN`.',
    answers: {
      200: {
        description: 'Key, mode, limits, and the clock of the service.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/EncryptionBootstrap' } } },
      },
    },
    response: {
      data: {
        mode: 'REQUIRED',
        suite: 'sm2-sm4-gcm-v1',
        version: 1,
        keyId: '2026-09',
        publicKey: `04${'5a'.repeat(64)}`,
        timestampWindowSeconds: 300,
        maxPayloadBytes: 65_536,
        maxQueryBytes: 4096,
        serverTime: INSTANT,
        exempt: ['/actuator/health', '/encryption/public-key GET', '/admin/storage/files POST'],
      },
    },
  },
  'POST /encryption/time': {
    tag: 'Encryption',
    summary: 'Get the time, sealed',
    description:
      'For a client whose clock is more than ten minutes behind. Its envelope may be of any stamp, and carries neither query nor body. No nonce is recorded. In the clear, and in mode OFF, it is refused.',
    answers: {
      200: {
        description: 'The clock of the service.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ServiceTime' } } },
      },
    },
    response: { data: { serverTime: INSTANT } },
  },
};
