import type { RouteOptions } from 'fastify';

/** Faults of routes. Routes with the same fault are listed together. */
export class RouteFaults {
  readonly #routesOf = new Map<string, { readonly methods: readonly string[]; readonly url: string }[]>();

  add(fault: string, route: Pick<RouteOptions, 'method' | 'url'>): void {
    const routes = this.#routesOf.get(fault) ?? [];
    routes.push({ methods: methodsOf(route), url: route.url });
    this.#routesOf.set(fault, routes);
  }

  /** One sentence for each fault: `GET /a, POST /b: …`. */
  texts(): string[] {
    return [...this.#routesOf].map(([fault, routes]) => `${labelsOf(routes).join(', ')}: ${fault}`);
  }
}

/** The fault of one route: `GET /a: …`. */
export function routeFault(
  fault: string,
  route: { readonly method: unknown; readonly url?: string | undefined },
): string {
  return `${methodsOf(route).join(', ')} ${route.url ?? ''}: ${fault}`;
}

/** The methods of a route in upper case. */
export function methodsOf({ method }: { readonly method: unknown }): string[] {
  return [method].flat().map((name) => String(name).toUpperCase());
}

/**
 * The names of routes, such as `GET /a`, without repetitions. HEAD is left out if there is GET of the same URL, with or
 * without a slash at its end.
 */
export function labelsOf(routes: readonly { readonly methods: readonly string[]; readonly url: string }[]): string[] {
  const reading = new Set(routes.filter(({ methods }) => methods.includes('GET')).map(({ url }) => withoutSlash(url)));
  const labels = routes
    .map(({ methods, url }) => {
      const isRead = reading.has(withoutSlash(url));
      return { methods: methods.filter((method) => !(isRead && method === 'HEAD')), url };
    })
    .filter(({ methods }) => methods.length > 0)
    .map(({ methods, url }) => `${methods.join(', ')} ${url}`);
  return [...new Set(labels)];
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
