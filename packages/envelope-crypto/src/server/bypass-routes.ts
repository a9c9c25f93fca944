import { METHODS } from 'node:http';

/** One exemption: a route's path and method (null: every method). */
export interface BypassRoute {
  /** The index of the entry in the list. */
  readonly index: number;
  readonly entry: string;
  readonly url: string;
  readonly method: string | null;
}

/** The exemptions, and the faults of entries. Each fault names the entry by its index, the reason and the fix. */
export interface BypassRouteReading {
  readonly routes: readonly BypassRoute[];
  readonly faults: readonly string[];
}

/** Reads entries of the form `PATH` or `PATH METHOD`. `name` is the name of the option, for the faults. */
export function readBypassRoutes(entries: readonly unknown[], name = 'bypassRoutes'): BypassRouteReading {
  const routes: BypassRoute[] = [];
  const faults: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const read = readEntry(entry);
    if (typeof read === 'string') faults.push(`${name}[${index}]: ${quote(entry)} ${read}`);
    else routes.push({ index, ...read });
  }
  return { routes, faults };
}

/** Whether an exemption covers the route that the router chose. `GET` does not cover `HEAD`. */
export function isBypassed(routes: readonly BypassRoute[], method: string, routeUrl: string | undefined): boolean {
  return routes.some((route) => route.url === routeUrl && (route.method === null || route.method === method));
}

/** A fault for each entry that matches no registered route. Such an entry would exempt nothing, or the wrong route. */
export function unmatchedRouteFaults(
  routes: readonly BypassRoute[],
  isRoute: (url: string, method: string | null) => boolean,
): string[] {
  return routes
    .filter(({ url, method }) => !isRoute(url, method))
    .map(
      ({ index, entry }) =>
        `bypassRoutes[${index}]: no route answers to ${quote(entry)}; write the path as the route was registered ` +
        '(case and trailing slash count)',
    );
}

/** The entry, unless it may be a secret in the wrong variable, such as an earlier key (`2025:` and its digits). */
function quote(entry: unknown): string {
  const isShown = typeof entry === 'string' && entry.startsWith('/') && !/[0-9a-f]{32}/i.test(entry);
  return isShown ? JSON.stringify(entry) : 'the entry';
}

function readEntry(entry: unknown): Omit<BypassRoute, 'index'> | string {
  if (typeof entry !== 'string') return 'is not a string; write PATH or PATH METHOD';
  const [url = '', method, ...rest] = entry.split(' ');
  if (rest.length > 0 || method === '') return 'is not one path and at most one method with one space between';
  if (METHODS.includes(url.toUpperCase()) && method?.startsWith('/')) {
    return `has its parts in the wrong order; write ${quote(`${method} ${url}`)}`;
  }
  if (!url.startsWith('/')) return 'has a path that does not begin with "/"';
  if (url === '/') return 'would exempt the root; name the endpoints one by one';
  if (/[*:()[\]{}]/.test(url)) return 'has a wildcard or a parameter; name the endpoints one by one';
  if (!/^(?:\/[A-Za-z0-9._~!$&'+,;=@-]+)+\/?$/.test(url)) return 'is not the plain path of a route';
  if (/\/\.{1,2}(?:\/|$)/.test(url)) return 'has a dot segment';
  if (method !== undefined && !METHODS.includes(method.toUpperCase())) return 'has an unknown method';
  return { entry, url, method: method === undefined ? null : method.toUpperCase() };
}
