import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleSize, CLIENT_LIMIT_BYTES } from '../client-size.mjs';

const client = fileURLToPath(new URL('../../packages/envelope-crypto/src/client/index.ts', import.meta.url));

test('PRF-9 what a browser loads of the envelope client is at most 20 kB gzipped', async () => {
  const { gzipped } = await bundleSize(client, 'createEnvelopeClient');
  expect(gzipped).toBeGreaterThan(CLIENT_LIMIT_BYTES / 2);
  expect(gzipped).toBeLessThanOrEqual(CLIENT_LIMIT_BYTES);
});
