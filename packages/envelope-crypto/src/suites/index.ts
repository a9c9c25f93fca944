export { portableClientSuite, sm2Sm4GcmV1 } from './portable-suite.js';
export { runSelfTest, runSuiteSelfTest, SelfTestFailedError } from './self-test.js';
export type { ActiveBackend, BackendName, ClientSuite, EnvelopeSuite, KeyPair } from './suite.js';
