import { expect, it } from 'vitest';
import type { KeyProvider } from '../../src/index.js';
import { sm2Sm4GcmV1 } from '../../src/suites/index.js';
import { seal } from '../sealed-request.js';
import { createService } from '../service.js';

it('EC-39 1000 requests and responses repeat no (key, IV) pair, and no response IV equals its request IV', async () => {
  // A provider that knows the base keys, to save a thousand unwraps.
  const baseKeys = new Map<string, Uint8Array>();
  const d = crypto.getRandomValues(new Uint8Array(32)).map((byte, i) => (i === 0 ? 1 : byte));
  const keyProvider: KeyProvider = {
    keyId: 'known',
    publicKey: Buffer.from(sm2Sm4GcmV1.publicKeyOf(d)).toString('hex'),
    unwrap: async (_, ciphertext) => baseKeys.get(Buffer.from(ciphertext).toString('base64url'))!.slice(),
  };
  const service = await createService({
    crypto: { keyProvider },
    server: { logger: false },
    routes: (app) => app.post('/echo', async () => ({ data: 1 })),
  });
  const pairs = new Set<string>();
  const nonces = new Set<unknown>();
  for (let i = 0; i < 1000; i++) {
    const draw = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
    const [baseKey, nonce, iv] = [draw(16), draw(16), draw(12)];
    const { requestKey, responseKey } = sm2Sm4GcmV1.deriveKeys(baseKey, nonce, 'known');
    const kept = baseKey.slice();
    const sealed = seal(service, { secrets: { baseKey, nonce, iv } });
    baseKeys.set(String(sealed.members.ek), kept);
    const response = await sealed.send();
    const answered = response.json() as { iv: string; nonce: string };
    expect(answered.nonce).toBe(sealed.members.nonce);
    expect(answered.iv).not.toBe(sealed.members.iv);
    pairs.add(`${Buffer.from(requestKey).toString('hex')} ${sealed.members.iv}`);
    pairs.add(`${Buffer.from(responseKey).toString('hex')} ${answered.iv}`);
    nonces.add(answered.iv);
  }
  expect(pairs.size).toBe(2000);
  expect(nonces.size).toBe(1000);
  await service.app.close();
}, 60_000);
