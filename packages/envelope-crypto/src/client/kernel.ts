import { createProvenKernel, type ProvenKernel } from '../kernel/index.js';

export type { ProvenKernel } from '../kernel/index.js';
export type { EnvelopeSuite } from '../suites/index.js';

/**
 * The constant-time WebAssembly kernel, for `createEnvelopeClient({ kernel })`. It is created at the first use and
 * tested with known answers. If WebAssembly is missing, or a page's policy forbids it, the kernel is unavailable, and
 * the client uses the portable implementation.
 *
 * @example
 * ```ts
 * import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
 * import { kernel } from '@sallyport/envelope-crypto/client/kernel';
 *
 * const client = createEnvelopeClient({ baseUrl: 'http://127.0.0.1:3000', kernel });
 * console.log(client.backend()); // { name: 'kernel', reason: 'it gave every known answer' }
 * ```
 */
export function kernel(): ProvenKernel {
  return createProvenKernel();
}
