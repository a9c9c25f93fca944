import { describe, it } from 'vitest';
import { describeFactorRecords } from '../src/conformance/index.js';
import { createMemoryFactorRecords } from '../src/index.js';

describeFactorRecords(
  'MFA-1 the records in memory keep the contract',
  () => ({ records: createMemoryFactorRecords() }),
  {
    describe,
    it,
  },
);
