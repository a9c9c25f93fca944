export type { ClockEvent, ClockState } from './clock-state.js';
export { createStoreClock, type StoreClock } from './store-clock.js';
export { STORE_CLOCK_DEFAULTS, type StoreClockOptions } from './store-clock-options.js';
