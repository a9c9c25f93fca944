export { createMemorySource, type MemorySourceOptions } from './memory-source.js';
export type {
  DeclaredParameter,
  ParameterNotifier,
  ParameterRow,
  ParameterSource,
  ParameterSubscription,
  ParameterWrite,
} from './parameter-source.js';
