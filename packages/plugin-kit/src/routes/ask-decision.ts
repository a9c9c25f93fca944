import type { DescribedRoute } from './described-route.js';

/** The decision for a route that declares nothing. */
export type UndecidedRoute = Pick<DescribedRoute, 'methods' | 'url'>;

/**
 * Calls the option `decide` of a plugin for a route. An error that it throws, or a promise that it returns, is a fault
 * of the route.
 */
export function askDecision(
  decide: (route: UndecidedRoute) => unknown,
  { methods, url }: UndecidedRoute,
): { readonly given: unknown; readonly faults: readonly string[] } {
  try {
    const given = decide({ methods, url });
    if (!(given instanceof Promise)) return { given, faults: [] };
    // The promise is not awaited. Its rejection would end the process.
    given.catch(() => {});
    return { given: undefined, faults: ['the option decide returns a promise; it must return its decision at once'] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { given: undefined, faults: [`the option decide throws: ${message}`] };
  }
}
