import type { FastifyReply } from 'fastify';

/**
 * Whether nothing that is written reaches the client, because its connection has ended. Such a reply has no further
 * events. A reply of HTTP/2 has the state on its stream.
 */
export function isClosed(raw: FastifyReply['raw']): boolean {
  return raw.destroyed || ('stream' in raw && Reflect.get(Object(raw.stream), 'destroyed') === true);
}
