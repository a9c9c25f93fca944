import { randomBytes } from 'node:crypto';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, pay, replay } from './options.mjs';

const newKey = () => randomBytes(32).toString('hex');
const later = {
  'same-id': () => ({ keyId: '2026-11', privateKey: newKey() }),
  weak: () => ({ keyId: '2026-12', privateKey: '01'.repeat(32) }),
  'half-a-file': () => JSON.parse(`{ "keyId": "2026-12", "privateKey": "${newKey()}`),
  'key-in-message': () => {
    throw new Error(`no such key: ${newKey()}`);
  },
};
let current = { keyId: '2026-11', privateKey: newKey() };
const keySource = {
  refreshSeconds: 1,
  async load() {
    const keys = current;
    current = null;
    return keys ?? later[process.argv[2]]();
  },
};
const app = Fastify({ logger: { level: 'error' } });
await app.register(envelopeCrypto, { mode: 'REQUIRED', keySource, bypassRoutes: ['/status'] });
await app.register(replayGuard, replay);
await app.register(publicKeyRoute);
app.post('/payments', pay);
app.get('/status', async () => {
  const client = createEnvelopeClient({ baseUrl: app.listeningOrigin });
  const { status } = await client.fetch('/payments', { method: 'POST', body: '{}' });
  return { status, keyId: app.envelopeCrypto.keyId, failure: app.envelopeCrypto.keyRefreshFailure() };
});
await listen(app);
