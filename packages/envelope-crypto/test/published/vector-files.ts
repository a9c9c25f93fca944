import { authorizationVectors, bootstrapVectors, idempotencyKeyVectors, targetVectors } from './cases/fields.js';
import { base64urlVectors, hkdfVectors, sm2Vectors, sm3Vectors, sm4GcmVectors } from './cases/primitives.js';
import { refusalVectors } from './cases/refusals.js';
import { plaintextVectors, requestVectors } from './cases/requests.js';
import { responseVectors } from './cases/responses.js';
import { keys } from './published-keys.js';
import { server } from './seal-vector.js';

/** Every file of `vectors/`, by its name. */
export const makeVectorFiles = () => ({
  'authorization.json': { about: 'field 9 of the authenticated data', vectors: authorizationVectors() },
  'base64url.json': { about: 'strict base64url', vectors: base64urlVectors() },
  'bootstraps.json': { about: 'answers of the bootstrap', vectors: bootstrapVectors() },
  'hkdf.json': { about: 'the keys of an envelope', vectors: hkdfVectors() },
  'idempotency-key.json': { about: 'field 10 of the authenticated data', vectors: idempotencyKeyVectors() },
  'plaintext-requests.json': {
    about: 'requests that are served as they are',
    keys,
    server,
    vectors: plaintextVectors(),
  },
  'refusals.json': { about: 'requests that are refused', keys, server, vectors: refusalVectors() },
  'requests.json': { about: 'requests that are served, and their answers', keys, server, vectors: requestVectors() },
  'responses.json': { about: 'answers as a client meets them', vectors: responseVectors() },
  'sm2.json': { about: 'wrapping of a base key', vectors: sm2Vectors() },
  'sm3.json': { about: 'the hash', vectors: sm3Vectors() },
  'sm4-gcm.json': { about: 'sealing of a message', vectors: sm4GcmVectors() },
  'target.json': { about: 'path and query of a request target', vectors: targetVectors() },
});

/** The text of a file. */
export const textOf = (file: object): string => `${JSON.stringify(file, null, 1)}\n`;
