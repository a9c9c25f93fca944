import { createCaptchas } from '@sallyport/captcha';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const captchas = createCaptchas({ store: createMemoryStore() });
const app = Fastify();
app.get('/captcha', () => captchas.issue({ kind: 'image', purpose: 'login' }));
await app.listen({ port: Number(process.env.PORT) });
