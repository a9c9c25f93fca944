export { type AccountGenerations, createAccountGenerations } from './account-generations.js';
export {
  type CounterStore,
  createFailureCounters,
  type FailureCounters,
  type Refusal,
} from './failure-counters.js';
export { createLockedAddresses, type LockedAddresses } from './locked-addresses.js';
export {
  accountCounter,
  type CounterKind,
  countersOf,
  deviceCounter,
  devicesKey,
  ipCounter,
  isOn,
  type LoginCounter,
  subjectCounter,
} from './login-counters.js';
export type { CounterSnapshot, Reservation } from './places.js';
