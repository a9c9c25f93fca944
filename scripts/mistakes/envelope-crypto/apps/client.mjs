import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, replay } from './options.mjs';

const otherKey =
  '0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0';
const isOff = process.argv[2] === 'off';
const wrong = {
  'one-key': { trustedKeys: options.privateKey },
  'private-key': { trustedKeys: [options.privateKey] },
  'no-keys': { trustedKeys: [] },
  'key-ids': { trustedKeys: [options.keyId] },
  misspelt: { requireEncrypton: true },
  text: { requireEncryption: 'true' },
  off: { requireEncryption: true },
  'another-key': { trustedKeys: [otherKey] },
};
const app = Fastify();
await app.register(envelopeCrypto, isOff ? { mode: 'OFF' } : { ...options, bypassRoutes: ['/try'] });
await app.register(replayGuard, replay);
await app.register(publicKeyRoute);
let reached = 0;
app.post('/payments', async () => {
  reached += 1;
  return { paid: true };
});
const client = createEnvelopeClient({
  baseUrl: 'http://127.0.0.1',
  fetch: (...given) => toServer(...given),
  ...wrong[process.argv[2]],
});
const toServer = (input, init) =>
  fetch(String(input.url ?? input).replace('http://127.0.0.1', app.listeningOrigin), init);
app.get('/try', async () => {
  const outcome = await client.fetch('/payments', { method: 'POST', body: '{}' }).then(
    ({ status }) => status,
    ({ code }) => code,
  );
  return { outcome, reached };
});
await listen(app);
