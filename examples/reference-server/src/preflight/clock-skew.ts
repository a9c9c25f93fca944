import type { Config } from '../config/config.js';
import type { PreflightItem } from './preflight-item.js';

/** Clocks that are kept by NTP differ by less, in milliseconds. */
const KEPT_MILLIS = 5000;

/**
 * How far the clock of a store is off. Nodes refuse each other's replays as long as theirs differ by less than
 * `SERVICE_API_ENCRYPTION_CLOCK_SKEW_SECONDS`; the store is what they all can be compared with.
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
  // It was read at some time in between.
  const skew = Math.max(0, before - theirs, theirs - after);
  if (!(skew > KEPT_MILLIS)) return [];
  const limit = config['api.encryption.clock-skew-seconds'];
  const isBeyond = skew >= limit * 1000;
  return [
    {
      id: `${store}.clock`,
      severity: isBeyond ? 'error' : 'warning',
      finding: `the clock of this machine and that of ${store === 'database' ? 'PostgreSQL' : 'Redis'} differ by ${Math.round(skew / 1000)} s${isBeyond ? `, more than the ${limit} s within which replays are refused` : ''}`,
      fix: 'keep both clocks by NTP',
    },
  ];
}
