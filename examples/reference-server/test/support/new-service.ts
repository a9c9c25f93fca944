import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';

/**
 * The client remembers for the whole process that it sealed requests to an address (ENV-9). A server of an earlier test
 * may have had the same port.
 */
export function asNewService(origin: string): string {
  createEnvelopeClient({ baseUrl: origin }).resetEncryption();
  return origin;
}
