import cors from '@fastify/cors';
import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, pay, replay } from './options.mjs';

const app = Fastify();
await app.register(cors, { origin: 'https://shop.example' });
await app.register(envelopeCrypto, options);
await app.register(replayGuard, replay);
app.all('/all', pay);
app.route({ method: ['PUT', 'PATCH', 'DELETE'], url: '/many', handler: pay });
app.register(async (api) => void api.get('/', pay), { prefix: '/slash/' });
app.post('/versions', { constraints: { version: '2.0.0' } }, pay);
app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, body, done) => done(null, body));
app.setErrorHandler(async (error, _request, reply) => reply.code(200).send({ success: false, message: error.message }));
await listen(app);
