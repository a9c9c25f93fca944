import { randomUUID } from 'node:crypto';
import { describeFactorRecords } from '@sallyport/second-factor/conformance';
import { afterAll, describe, it } from 'vitest';
import { createFactorRecords } from '../../../src/modules/second-factors/factor-records.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';

for (const storage of ['PostgreSQL', 'embedded'] as const) {
  let opening: Promise<TestBench> | undefined;
  afterAll(async () => (await opening)?.close());

  async function openRecords() {
    opening ??= openTestBench(storage);
    const bench = await opening;
    const event = { action: 'second-factor.verify' };
    return createFactorRecords(bench.database, (work) => bench.changes.change({ event }, work));
  }
  const open = async () => ({
    records: await openRecords(),
    openAgain: openRecords,
    principal: () => `admin:${randomUUID()}`,
  });
  describeFactorRecords(`MFA-1 the table of the server on ${storage} keeps the contract`, open, { describe, it });
}
