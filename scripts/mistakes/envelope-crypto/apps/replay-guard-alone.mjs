import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, pay, replay } from './options.mjs';

const app = Fastify();
await app.register(replayGuard, replay);
app.post('/payments', pay);
await listen(app);
