import clientIp from '@sallyport/client-ip';
import Fastify from 'fastify';

const options = {
  none: undefined,
  true: { trustedProxies: true },
  hops: { trustedProxies: 1 },
  name: { trustedProxies: ['loopback'] },
  host: { trustedProxies: ['proxy.internal'] },
  text: { trustedProxies: '127.0.0.1, 10.0.0.0/8' },
  everybody: { trustedProxies: ['0.0.0.0/0'] },
  misspelt: { trustedProxy: ['127.0.0.1'] },
};
const app = Fastify();
await app.register(clientIp, options[process.argv[2]]);
app.get('/', async (request) => ({ clientIp: request.clientIp }));
await app.listen({ port: Number(process.env.PORT) });
