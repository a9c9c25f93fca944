import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, replay } from './options.mjs';

const wrong = {
  'no-function': { scheduleQueryOpening: { concurrency: 5 } },
  forgets: { scheduleQueryOpening: async () => {} },
  'swallows-errors': { scheduleQueryOpening: (_request, _reply, open) => open().catch(() => {}) },
  'not-awaited': {
    async scheduleQueryOpening(_request, _reply, open) {
      void open();
    },
  },
  throws: {
    scheduleQueryOpening() {
      throw new Error('too many');
    },
  },
};
const app = Fastify();
await app.register(envelopeCrypto, { ...options, bypassRoutes: ['/try'], ...wrong[process.argv[2]] });
await app.register(replayGuard, replay);
await app.register(publicKeyRoute);
let served = 0;
app.get('/balance', async () => {
  served += 1;
  return { balance: 5 };
});
// A real request, and one whose envelope was changed.
app.get('/try', async () => {
  let sealed = '';
  const record = (input, init) => {
    sealed = new Request(input, init).url;
    return fetch(input, init);
  };
  const client = createEnvelopeClient({ baseUrl: app.listeningOrigin, fetch: record });
  const good = await client.fetch('/balance?of=ada').then(({ status }) => status, String);
  const headers = { 'api-encryption': 'v1' };
  const changed = await fetch(
    sealed.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    { headers },
  );
  return { good, changed: changed.status, served };
});
await listen(app);
