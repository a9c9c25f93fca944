import authTokens from '@sallyport/auth-tokens';
import { options } from '../../options.mjs';

export default async function auth(app) {
  await app.register(authTokens, options);
}
