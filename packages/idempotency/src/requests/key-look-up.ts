import { refuseForeignPrincipal } from '../principal.js';
import type { IdempotencyRecord } from '../records/index.js';
import type { IdempotentRuns } from '../runs/index.js';
import { readIdempotencyKey, scopeOf } from './request-identity.js';

/** The state of a key on one route. */
export interface KeyState {
  readonly method: string;
  /** The pattern of the route, such as `/orders`. */
  readonly url: string;
  readonly state: IdempotencyRecord['state'];
  /** The status of the first answer, on a route with `result: 'location'` or `'body'`. Null: none is kept. */
  readonly originalStatus: number | null;
  /** The `Location` of the first answer, on such a route. Null: none is kept. */
  readonly location: string | null;
}

/** A route and the parameters of its path. */
export interface LookedUpRoute {
  readonly method: string;
  readonly url: string;
  /** The values as the handler sees them, coerced by its schema. Default: none. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * The outcome of the requests that a principal sent under a key: one entry for each route on which it was used. Without
 * `route`, it reads every opted-in route whose path has no parameters. An empty list means that nothing was done under
 * the key, and that the request may be sent. A dead run is fenced first, so that the answer stays true.
 *
 * Rejects with `IdempotencyKeyInvalidError` (400), `IdempotencyStoreUnavailableError` (503), and for a principal that
 * is neither null nor a non-empty text with `IdempotencySetupError` (500).
 */
export type KeyLookUp = (principal: string | null, key: string, route?: LookedUpRoute) => Promise<readonly KeyState[]>;

export function createKeyLookUp(
  runs: Pick<IdempotentRuns, 'lookUp'>,
  routes: readonly { readonly method: string; readonly url: string }[],
): KeyLookUp {
  return async function lookUp(principal, given, route) {
    refuseForeignPrincipal('lookUp', 'principal', principal);
    const key = readIdempotencyKey(given) as string;
    const places = route === undefined ? routes.filter(({ url }) => !/[:*]/.test(url)) : [route];
    const found = await Promise.all(
      places.map(async ({ method, url, params }: LookedUpRoute): Promise<KeyState | null> => {
        const record = await runs.lookUp(scopeOf({ principal, method, url, params: params ?? {}, key }));
        if (record === null) return null;
        const result = record.state === 'SUBMITTED' ? record.result : null;
        const { status: originalStatus, location } = result ?? { status: null, location: null };
        return { method, url, state: record.state, originalStatus, location };
      }),
    );
    return found.filter((one) => one !== null);
  };
}
