import type { Config } from '../config/config.js';
import type { PreflightItem } from './preflight-item.js';

/** Clocks synchronised by NTP differ by less, in milliseconds. */
const KEPT_MILLIS = 5000;

/**
 * Compares the local clock with that of a store, which all nodes share. Nodes refuse each other's replays only if their
 * clocks differ by less than `SERVICE_API_ENCRYPTION_CLOCK_SKEW_SECONDS`.
 */
export async function clockItems(
  store: 'database' | 'redis',
  config: Pick<Config, 'api.encryption.clock-skew-seconds'>,
  now: () => number,
  readClock: () => Promise<number>,
): Promise<PreflightItem[]> {
  const before = now();
  const theirs = await readClock();
  const after = now();
  // The store read its clock at some time in between.
  const skew = Math.max(0, before - theirs, theirs - after);
  if (!(skew > KEPT_MILLIS)) return [];
  const limit = config['api.encryption.clock-skew-seconds'];
  const isBeyond = skew >= limit * 1000;
  return [
    {
      id: `${store}.clock`,
      severity: isBeyond ? 'error' : 'warning',
      finding: `the clock of this machine and that of ${store === 'database' ? 'PostgreSQL' : 'Redis'} differ by ${Math.round(skew / 1000)} s${isBeyond ? `, more than the ${limit} s within which replays are refused` : ''}`,
      fix: 'synchronise both clocks by NTP',
    },
  ];
}
