import clientIp from '@sallyport/client-ip';
import Fastify from 'fastify';

const app = Fastify({ trustProxy: true });
await app.register(clientIp, { trustedProxies: [] });
app.get('/', async (request) => ({ clientIp: request.clientIp }));
await app.listen({ port: Number(process.env.PORT) });
