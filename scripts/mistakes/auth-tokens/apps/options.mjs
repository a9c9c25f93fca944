import { generateSigningKey } from '@sallyport/auth-tokens';
import { createMemoryStore } from '@sallyport/ttl-store';

export const options = {
  store: createMemoryStore(),
  issuer: 'https://shop.example',
  signingKey: generateSigningKey(),
};

/** A route that nobody may read without a token. */
export const salaries = async () => [{ name: 'Ada', salary: 90_000 }];

export const admin = { config: { access: 'admin' } };

export const listen = (app) => app.listen({ port: Number(process.env.PORT) });
