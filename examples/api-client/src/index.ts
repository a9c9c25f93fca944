export { dataOf, type Problem, type RefusalCode, RefusedError } from './answers.js';
export { type ApiClient, type ApiClientOptions, createApiClient, type FactorProof } from './api-client.js';
export { readEvents, type StreamedEvent } from './events.js';
export { asContent, asForm } from './files.js';
export { hashPassword } from './hash-password.js';
export { type IdempotencyHeader, newKey, writeOnce } from './idempotency.js';
export type { components, operations, paths } from './schema.generated.js';
export { UNSEALED_ROUTES } from './schema.generated.js';
