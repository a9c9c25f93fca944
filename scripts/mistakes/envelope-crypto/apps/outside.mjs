import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, pay, replay } from './options.mjs';

const app = Fastify();
await app.register(async (api) => {
  await api.register(envelopeCrypto, { ...options, scope: 'encapsulated' });
  await api.register(replayGuard, replay);
});
app.post('/payments', { config: { bypassEnvelope: false } }, pay);
await listen(app);
