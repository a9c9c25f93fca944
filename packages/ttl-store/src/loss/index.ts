export {
  createMarkKeeper,
  type KeptMark,
  MARK_TTL_MILLIS,
  type MarkKeeper,
  type MarkKeeperOptions,
  type MarkLook,
  type StoreLoss,
} from './mark-keeper.js';
export { type Contact, earliestTime, latestTime, TOLERANCE_MILLIS, timeAt } from './store-time.js';
