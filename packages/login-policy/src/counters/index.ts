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
  type CounterSnapshot,
  countersOf,
  deviceCounter,
  devicesKey,
  ipCounter,
  isOn,
  type LoginCounter,
  type Reservation,
  subjectCounter,
} from './login-counters.js';
