import type { FastifyRequest } from 'fastify';

/** Whether the head of the request announces a body, which may then arrive at any later time. */
export function announcesBody({ headers, raw }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined || (length !== undefined && length !== '0')) return true;
  // HTTP/2 needs neither header. The last frame of the head shows whether a body follows.
  const { stream } = raw as { readonly stream?: { readonly endAfterHeaders?: boolean } };
  return stream?.endAfterHeaders === false;
}
