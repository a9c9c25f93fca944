import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, pay, replay } from './options.mjs';

const app = Fastify();
await app.register(replayGuard, replay);
await app.register(envelopeCrypto, options);
app.post('/payments', pay);
await listen(app);
