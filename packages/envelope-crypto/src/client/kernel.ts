import { createProvenKernel, type ProvenKernel } from '../kernel/proven-kernel.js';

export type { ProvenKernel } from '../kernel/proven-kernel.js';
export type { EnvelopeSuite } from '../suites/sm2-sm4-gcm-v1.js';

/**
 * The constant-time WebAssembly kernel, for `createEnvelopeClient({ kernel })`. It is made when it is first needed, and
 * serves if it gives every known answer. Where WebAssembly is missing, or a page's policy forbids it, it is unavailable,
 * and the client goes on with the portable implementation.
 *
 * @example
 * import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
 * import { kernel } from '@sallyport/envelope-crypto/client/kernel';
 *
 * const client = createEnvelopeClient({ baseUrl: 'https://api.example.com', kernel });
 * client.backend(); // { name: 'kernel', reason: 'it gave every known answer' }
 */
export function kernel(): ProvenKernel {
  return createProvenKernel();
}
