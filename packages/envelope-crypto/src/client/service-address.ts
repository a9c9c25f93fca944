import { EnvelopeClientError } from './errors.js';
import type { FetchInput } from './outgoing-request.js';

/** The address of the service, and the decision which requests belong to it. */
export interface ServiceAddress {
  /**
   * The URL of a `fetch` argument. A path that begins with `/` belongs to the service. Throws `REQUEST_UNSUPPORTED` for
   * a path that leaves the base path, and for a relative URL, whose base is ambiguous.
   */
  locate(input: FetchInput): URL;
  /**
   * The path as the service sees it, which is bound into the envelope. Null for another host. Throws
   * `REQUEST_UNSUPPORTED` for a URL at the service's host outside the service: the request and its token would be sent
   * unsealed.
   */
  pathOf(url: URL): string | null;
}

export function createServiceAddress(base: URL): ServiceAddress {
  const basePath = base.pathname.replace(/\/$/, '');
  const isInService = ({ origin, pathname }: URL) => origin === base.origin && pathname.startsWith(`${basePath}/`);

  /** With the base's scheme, another port is another server. Another scheme always has another port. */
  function isAtServiceHost(url: URL): boolean {
    if (hostnameOf(url) !== hostnameOf(base)) return false;
    return url.protocol !== base.protocol || url.port === base.port;
  }

  function locatePath(path: string): URL {
    const url = new URL(`${base.origin}${basePath}${path}`);
    if (!isInService(url)) throw unsupported('a path that leaves the base path');
    return url;
  }

  return {
    locate(input) {
      if (typeof input !== 'string') return new URL(input instanceof Request ? input.url : input);
      if (input.startsWith('/')) return input.startsWith('//') ? new URL(input, base) : locatePath(input);
      // `https:pay` is relative too, on a page with that scheme.
      if (!isAbsolute(input)) throw unsupported('a relative URL');
      return new URL(input);
    },

    pathOf(url) {
      if (isInService(url)) return url.pathname.slice(basePath.length);
      if (isAtServiceHost(url)) throw unsupported('a URL at its host, outside baseUrl');
      return null;
    },
  };
}

/** The host without port, and without the trailing dot of a fully qualified name. */
function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

function isAbsolute(text: string): boolean {
  const [, scheme, slashes] = /^\s*([a-z][a-z0-9+.-]*):(\/\/)?/i.exec(text) ?? [];
  return scheme !== undefined && (slashes !== undefined || !/^https?$/i.test(scheme));
}

function unsupported(what: string): EnvelopeClientError {
  const fix = 'give a path of the service that begins with "/", or use the global fetch for what needs no envelope';
  return new EnvelopeClientError('REQUEST_UNSUPPORTED', `${what} would not be sealed for the service: ${fix}`);
}
