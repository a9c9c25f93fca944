import authTokens, { generateSigningKey } from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify();
const signingKey = generateSigningKey();
await app.register(authTokens, { store: createMemoryStore(), issuer: 'https://shop.example', signingKey });
app.get('/me', { config: { access: 'public' } }, async (request) => request.principal.subject); // mistake
