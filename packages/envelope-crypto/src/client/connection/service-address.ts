import { EnvelopeClientError } from '../errors.js';
import type { ParseUrl, ServiceUrl } from './service-url.js';

/** The address of the service. It decides which requests belong to the service. */
export interface ServiceAddress {
  /** Origin and base path, without a slash at the end. It is the same for all spellings of a base URL. */
  readonly baseUrl: string;
  /**
   * The parsed URL of a request. A path that begins with one `/` belongs to the service. Throws `REQUEST_UNSUPPORTED`
   * for a path that leaves the base path, and for any other relative URL, whose base is ambiguous.
   */
  locate(text: string): ServiceUrl;
  /**
   * The path as the service sees it, which is bound into the envelope. Null for another host. Throws
   * `REQUEST_UNSUPPORTED` for a URL at the service's host outside the service: the request and its token would be sent
   * unsealed.
   */
  pathOf(url: ServiceUrl): string | null;
}

export function createServiceAddress(base: ServiceUrl, parseUrl: ParseUrl): ServiceAddress {
  const basePath = base.pathname.replace(/\/$/, '');
  const isInService = ({ origin, pathname }: ServiceUrl) =>
    origin === base.origin && pathname.startsWith(`${basePath}/`);

  /**
   * With the scheme of the base, a different port is a different server. A different scheme always has a different
   * port.
   */
  function isAtServiceHost(url: ServiceUrl): boolean {
    if (hostnameOf(url) !== hostnameOf(base)) return false;
    return url.protocol !== base.protocol || url.port === base.port;
  }

  function locatePath(path: string): ServiceUrl {
    const url = parseUrl(base.origin + basePath + path);
    if (!isInService(url)) throw unsupported('a path that leaves the base path');
    return url;
  }

  return {
    baseUrl: base.origin + basePath,

    locate(text) {
      // `//host` is also relative. An id that begins with a slash must not turn a path into a host.
      if (/^\/(?!\/)/.test(text)) return locatePath(text);
      // On a page with that scheme, `https:pay` is relative as well.
      if (!isAbsolute(text)) throw unsupported('a relative URL');
      return parseUrl(text);
    },

    pathOf(url) {
      if (isInService(url)) return url.pathname.slice(basePath.length);
      if (isAtServiceHost(url)) throw unsupported('a URL at its host, outside baseUrl');
      return null;
    },
  };
}

/** The host without port, and without the trailing dot of a fully qualified name. */
function hostnameOf({ hostname }: ServiceUrl): string {
  return hostname.replace(/\.$/, '');
}

function isAbsolute(text: string): boolean {
  const [, scheme, slashes] = /^\s*([a-z][a-z0-9+.-]*):(\/\/)?/i.exec(text) ?? [];
  return scheme !== undefined && (slashes !== undefined || !/^https?$/i.test(scheme));
}

function unsupported(what: string): EnvelopeClientError {
  const fix = 'begin with one "/", or use the global fetch';
  return new EnvelopeClientError('REQUEST_UNSUPPORTED', `${what} would not be sealed: ${fix}`);
}
