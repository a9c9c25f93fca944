import type { IdempotencyRecord } from '../records/index.js';
import type { IdempotentRuns } from '../runs/index.js';
import { readIdempotencyKey } from './idempotency-key.js';
import { scopeOf } from './request-digest.js';

/** What is known of a key on one route. */
export interface KeyState {
  readonly method: string;
  /** The pattern of the route, such as `/orders`. */
  readonly url: string;
  readonly state: IdempotencyRecord['state'];
}

/** A route, with the parameters of its path. */
export interface LookedUpRoute {
  readonly method: string;
  readonly url: string;
  /** As the handler sees them, coerced by its schema. Default none. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * What became of the requests that a principal sent under a key: one entry for each route where it was used. Without
 * `route` every opted-in route is looked at whose path has no parameters. An empty list: nothing was done under the key,
 * and the same key may be sent. What it says of a run that died stays true: it is fenced first.
 *
 * Rejects with `IdempotencyKeyInvalidError` (400) and `IdempotencyStoreUnavailableError` (503).
 */
export type KeyLookUp = (principal: string | null, key: string, route?: LookedUpRoute) => Promise<readonly KeyState[]>;

export function createKeyLookUp(
  runs: Pick<IdempotentRuns, 'lookUp'>,
  routes: readonly { readonly method: string; readonly url: string }[],
): KeyLookUp {
  return async function lookUp(principal, given, route) {
    const key = readIdempotencyKey(given) as string;
    const places = route === undefined ? routes.filter(({ url }) => !/[:*]/.test(url)) : [route];
    const found = await Promise.all(
      places.map(async ({ method, url, params }: LookedUpRoute) => ({
        method,
        url,
        state: await runs.lookUp(scopeOf({ principal, method, url, params: params ?? {}, key })),
      })),
    );
    return found.filter((one): one is KeyState => one.state !== null);
  };
}
