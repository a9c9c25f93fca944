import { isIpAddress } from '@sallyport/plugin-kit/addresses';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { UrlMalformedError } from '../http/errors.js';
import { HostInvalidError } from './errors.js';

/** The largest number of a port. */
const MAX_PORT = 65_535;

/**
 * Whether the value is a host, with a port or without (RFC 9110, 7.2). Only the characters of host names are accepted,
 * not all that RFC 3986 allows in a name: a comma, for example, joins two headers into one.
 */
export function isHost(value: string): boolean {
  const [, literal, name, port = ''] = /^(?:\[([^\]]*)\]|([A-Za-z0-9._~-]+))(?::(\d{0,5}))?$/.exec(value) ?? [];
  if (literal === undefined && name === undefined) return false;
  if (literal !== undefined && !(literal.includes(':') && isIpAddress(literal))) return false;
  return Number(port) <= MAX_PORT;
}

/**
 * Refuses a request with more than one Host header, an invalid one or, from HTTP/1.1 on, none (HTTP-6; RFC 9112, 3.2).
 * Node.js keeps the first of several, and a proxy in front may have used another one.
 *
 * It also refuses a target that is neither a path nor the `*` of OPTIONS. RFC 9112, 3.2.2 lets a client of a proxy send
 * `GET http://other/path`, whose host replaces that of the header. But this server is not a proxy, and its router would
 * ignore that host. A proxy in front sends the path.
 */
async function hostHeaderPlugin(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', function checkHost({ raw, method, originalUrl }: FastifyRequest, _reply, done) {
    const hosts = hostsOf(raw.rawHeaders);
    const isRight = hosts.length === 0 ? raw.httpVersion === '1.0' : hosts.length === 1 && isHost(hosts[0]!);
    if (!isRight) done(new HostInvalidError());
    else if (isTarget(method, originalUrl)) done();
    else done(new UrlMalformedError());
  });
}

function isTarget(method: string, target: string): boolean {
  return target.startsWith('/') || (method === 'OPTIONS' && target === '*');
}

/** The values of the Host headers, one for each line. */
function hostsOf(rawHeaders: readonly string[]): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    // The length excludes nearly all names first, because this runs for every header of every request.
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') values.push(rawHeaders[i + 1]!);
  }
  return values;
}

export const hostHeader = fp(hostHeaderPlugin, { fastify: '5.x', name: 'host-header' });
