import clientIp from '@sallyport/client-ip';
import Fastify from 'fastify';

const app = Fastify();
app.register(clientIp, { trustedProxies: [] });
app.get('/', async (request) => ({ clientIp: request.clientIp }));
await app.listen({ port: Number(process.env.PORT) });
