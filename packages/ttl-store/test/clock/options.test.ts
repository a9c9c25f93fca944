import { describe, expect, it } from 'vitest';
import { createMemoryStore, createStoreClock, type StoreClockOptions, StoreSetupError } from '../../src/index.js';

describe('the options of a store clock', () => {
  it('ADP-1 TOK-12 names every fault', () => {
    const wrong = { store: {}, refreshMillis: 0, maxAgeMillis: -1, allowedSkewMillis: 0, now: 5, monotonic: 5 };
    const refusal = () => createStoreClock({ ...wrong, allowedSkew: 1 } as unknown as StoreClockOptions);
    expect(refusal).toThrow(StoreSetupError);
    for (const name of [...Object.keys(wrong), 'allowedSkew']) expect(refusal).toThrow(new RegExp(`- ${name} `));
    const store = createMemoryStore();
    expect(() => createStoreClock({ store, refreshMillis: 2000, maxAgeMillis: 1000 })).toThrow(
      'maxAgeMillis must not be less than refreshMillis',
    );
  });
});
