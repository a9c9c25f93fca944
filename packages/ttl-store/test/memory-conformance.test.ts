import { describe, it } from 'vitest';
import { describeTtlStore } from '../src/conformance/index.js';
import { createMemoryStore } from '../src/index.js';

describeTtlStore(
  'OPS-9 the memory store keeps the contract',
  () => {
    let time = 1_800_000_000_000;
    return {
      store: createMemoryStore({ now: () => time }),
      advance: (millis) => {
        time += millis;
      },
    };
  },
  { describe, it },
);
