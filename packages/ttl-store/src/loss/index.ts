export { createMarkKeeper, MARK_TTL_MILLIS, type MarkKeeper } from './mark-keeper.js';
export type { KeptMark, MarkKeeperOptions, MarkLook, StoreLoss } from './mark-keeper-options.js';
export { type Contact, earliestTime, latestTime, TOLERANCE_MILLIS, timeAt } from './store-time.js';
