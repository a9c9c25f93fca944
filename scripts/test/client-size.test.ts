import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleSize, MAX_CLIENT_BYTES } from '../client-size.mjs';

const client = fileURLToPath(new URL('../../packages/envelope-crypto/src/client/index.ts', import.meta.url));

test('ENV-11 PRF-9 the envelope client of a browser is at most 22 kB gzipped', async () => {
  const { gzipped } = await bundleSize(client, 'createEnvelopeClient');
  expect(gzipped).toBeGreaterThan(MAX_CLIENT_BYTES / 2);
  expect(gzipped).toBeLessThanOrEqual(MAX_CLIENT_BYTES);
});
