export {
  describeFactorRecords,
  type OpenedFactorRecords,
  type TestRunner,
} from './describe-factor-records.js';
