import authTokens from '@sallyport/auth-tokens';
import fp from 'fastify-plugin-4';
import { options } from '../../options.mjs';

export default fp(async (app) => {
  await app.register(authTokens, options);
});
