import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify-4';
import { listen, options, pay, replay } from './options.mjs';

const app = Fastify();
await app.register(envelopeCrypto, options);
await app.register(replayGuard, replay);
app.post('/payments', pay);
await listen(app);
