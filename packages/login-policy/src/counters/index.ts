export { type AccountGenerations, createAccountGenerations } from './account-generations.js';
export {
  type CounterSnapshot,
  type CounterStore,
  createFailureCounters,
  type FailureCounters,
  type Refusal,
  type Reservation,
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
