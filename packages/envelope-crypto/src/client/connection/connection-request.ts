import type { ServiceUrl } from './service-url.js';

/** A request before it is sealed. */
export interface ConnectionRequest {
  /** The method, in upper case. */
  readonly method: string;
  readonly url: ServiceUrl;
  /** The values of headers that are bound into the envelope, or null. */
  readonly authorization: string | null;
  readonly idempotencyKey: string | null;
  /** The JSON text of the body. Null for none. */
  readonly body: string | null;
  /** Ends the wait for the bootstrap. The transport has to end its own wait. */
  readonly signal?: AbortSignal | null | undefined;
  /** Whether the transport sends a body with this method, even an empty one. Default: with POST, PUT and PATCH. */
  readonly takesBody?: boolean;
}
