import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { isDriverMended } from '../../src/storage/driver-probe.js';

// `driver-probe.system.test.ts` has the driver as npm serves it.
describe('the probe of the driver', () => {
  it('REL-16 passes the driver that is installed here, with its patch', async () => {
    expect(await isDriverMended(postgres)).toBe(true);
  });

  it('REL-16 fails a driver whose begin rejects once its function has begun', async () => {
    const begin = async (work: () => Promise<never>) => {
      void work();
      throw new TypeError("Cannot set properties of undefined (setting 'onclose')");
    };
    expect(await isDriverMended((() => ({ begin })) as unknown as typeof postgres)).toBe(false);
  });
});
