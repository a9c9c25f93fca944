import envelopeCrypto from '@sallyport/envelope-crypto';
import Fastify from 'fastify';
import { listen, options, pay } from './options.mjs';

const app = Fastify();
await app.register(envelopeCrypto, options);
app.post('/payments', pay);
await listen(app);
