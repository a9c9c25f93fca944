export { describeTtlStore, type TestRunner } from './describe-ttl-store.js';
export type { OpenedTtlStore } from './scenario.js';
