/** Counts requests in the clear, route by route. Bounded by the routes and methods that there are. Requirement ENV-7. */
export interface PlaintextUses {
  count(method: string, routeUrl: string | undefined): void;
  /** `METHOD /route` and its number since the start; unknown paths are one route, `METHOD (no route)`. */
  read(): ReadonlyMap<string, number>;
}

export function createPlaintextUses(): PlaintextUses {
  const uses = new Map<string, number>();
  return {
    count(method, routeUrl) {
      const route = `${method} ${routeUrl ?? '(no route)'}`;
      uses.set(route, (uses.get(route) ?? 0) + 1);
    },
    read: () => new Map(uses),
  };
}
