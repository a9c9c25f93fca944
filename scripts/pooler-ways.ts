import type postgres from 'postgres';
import { type PoolMode, USUAL_REMEDY } from './pgbouncer-process.js';

export type Driver = 'postgres.js' | 'node-postgres';

/** How an application reaches PostgreSQL. */
export type Way = 'direct' | PoolMode;

/** Every driver on every way, for `describe.each`. PGlite has no connections. */
export const driversAndWays: readonly (readonly [Driver, Way])[] = (['postgres.js', 'node-postgres'] as const).flatMap(
  (driver) => (['direct', 'session', 'transaction'] as const).map((way) => [driver, way] as const),
);

/** Few, so that each transaction meets another one. In session mode each connection of a client needs its own. */
const BACKENDS = { session: 40, transaction: 3 } as const satisfies Record<PoolMode, number>;

/** What the page 'Drivers and poolers' demands of postgres.js. Its types don't know `max_pipeline`. */
export const POSTGRES_JS_OPTIONS: Readonly<
  Record<Way, postgres.Options<Record<string, never>> & { readonly max_pipeline?: number }>
> = {
  direct: {},
  session: {},
  transaction: { prepare: false, max_pipeline: 0 },
};

export interface PoolerSettings {
  readonly mode: PoolMode;
  /** Lines of its section `[pgbouncer]`. */
  readonly lines: readonly string[];
}

/** The pooler of a way; null: there is none. */
export function poolerOf(way: Way): PoolerSettings | null {
  if (way === 'direct') return null;
  return { mode: way, lines: [`default_pool_size = ${BACKENDS[way]}`, USUAL_REMEDY] };
}
