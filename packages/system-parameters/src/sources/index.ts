export { createMemorySource, type MemorySourceOptions } from './memory-source.js';
export type { ParameterNotifier, ParameterSubscription } from './parameter-notifier.js';
export type { DeclaredParameter, ParameterRow, ParameterSource, ParameterWrite } from './parameter-source.js';
