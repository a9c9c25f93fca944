import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, pay, replay } from './options.mjs';

const app = Fastify();
app.register(envelopeCrypto, options);
app.register(replayGuard, replay);
app.post('/payments', pay);
await listen(app);
