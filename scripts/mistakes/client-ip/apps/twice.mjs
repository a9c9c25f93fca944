import clientIp from '@sallyport/client-ip';
import Fastify from 'fastify';

const app = Fastify();
await app.register(clientIp, { trustedProxies: [] });
await app.register(clientIp, { trustedProxies: ['127.0.0.1'] });
app.get('/', async (request) => ({ clientIp: request.clientIp }));
await app.listen({ port: Number(process.env.PORT) });
