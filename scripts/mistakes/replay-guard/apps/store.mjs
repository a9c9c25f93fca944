import { randomBytes } from 'node:crypto';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import replayGuard from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const used = new Set();
/** Of a team's own: a table with a unique key. */
const own = {
  lifetime: 'shared',
  async setIfAbsent(key) {
    if (used.has(key)) return false;
    used.add(key);
    return true;
  },
};
const answers = (setIfAbsent) => ({ store: { lifetime: 'shared', setIfAbsent }, allowUnmarkedStore: true });
const given = {
  none: {},
  promise: { store: Promise.resolve(own) },
  map: { store: new Map() },
  'no-lifetime': { store: { setIfAbsent: own.setIfAbsent } },
  'no-marks': { store: own },
  'allowed-as-text': { store: own, allowUnmarkedStore: 'true' },
  misspelt: { store: own, allowUnmarkedStores: true },
  'empty-marks': { store: { ...own, marks: {} }, allowUnmarkedStore: true },
  witness: { store: own, allowUnmarkedStore: true, witness: createMemoryStore() },
  'half-a-witness': { store: createMemoryStore(), witness: own },
  'is-new-as-text': { store: createMemoryStore(), isNewStore: 'yes' },
  milliseconds: { store: createMemoryStore(), replayTtlSeconds: 300_000_000 },
  allowed: { store: own, allowUnmarkedStore: true },
  ok: answers(async () => 'OK'),
  changes: answers(async () => ({ changes: 0 })),
  number: answers(async () => 1),
  void: answers(async () => {}),
  rejects: answers(async () => Promise.reject(new Error('password=hunter2'))),
};
const app = Fastify();
const privateKey = randomBytes(32).toString('hex');
await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: '2026-11', privateKey, bypassRoutes: ['/try'] });
await app.register(replayGuard, given[process.argv[2]]);
await app.register(publicKeyRoute);
let paid = 0;
app.post('/payments', async () => {
  paid += 1;
  return { paid: true };
});
// A request, and a copy of it.
app.get('/try', async () => {
  let copy;
  const record = (input, init) => {
    const request = new Request(input, init);
    copy = request.clone();
    return fetch(request);
  };
  const client = createEnvelopeClient({ baseUrl: app.listeningOrigin, fetch: record });
  const first = await client.fetch('/payments', { method: 'POST', body: '{}' });
  const second = await fetch(copy);
  return { first: first.status, second: second.status, text: await second.text(), paid };
});
await app.listen({ port: Number(process.env.PORT) });
