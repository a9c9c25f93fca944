import authTokens, { generateSigningKey } from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify();
await app.register(authTokens, {
  store: createMemoryStore(),
  issuer: 'https://shop.example',
  signingKey: generateSigningKey(),
  decide: async () => 'public', // mistake
});
