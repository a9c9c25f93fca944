/**
 * Whether what a handler sends is a fetch `Response`, also one of a package such as undici or node-fetch, which is no
 * instance of the global class. Fastify knows it by its tag, too, and takes status, headers and body from it.
 */
export function isResponse(payload: unknown): payload is Response {
  return Object.prototype.toString.call(payload) === '[object Response]';
}
