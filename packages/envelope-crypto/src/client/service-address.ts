import type { FetchInput } from './outgoing-request.js';

/** Where the service is, and which requests are its. */
export interface ServiceAddress {
  /** The URL that a `fetch` argument means; a path that begins with `/` is one of the service. */
  locate(input: FetchInput): URL;
  /** The path as the service sees it, and so as it is bound; null for a request that isn't the service's. */
  pathOf(url: URL): string | null;
}

export function createServiceAddress(base: URL): ServiceAddress {
  const basePath = base.pathname.replace(/\/$/, '');
  return {
    locate(input) {
      if (input instanceof Request) return new URL(input.url);
      const isPath = typeof input === 'string' && input.startsWith('/') && !input.startsWith('//');
      return isPath ? new URL(`${base.origin}${basePath}${input}`) : new URL(input, base);
    },
    pathOf({ origin, pathname }) {
      if (origin !== base.origin || !pathname.startsWith(`${basePath}/`)) return null;
      return pathname.slice(basePath.length);
    },
  };
}
