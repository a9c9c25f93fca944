import authTokens from '@sallyport/auth-tokens';
import { options } from '../../options.mjs';

// The message said: give scope: 'encapsulated'.
export default async function auth(app) {
  await app.register(authTokens, { ...options, scope: 'encapsulated' });
}
