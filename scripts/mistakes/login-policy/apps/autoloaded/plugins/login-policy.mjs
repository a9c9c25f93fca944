import loginPolicy from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';

export default async function lockout(app) {
  await app.register(loginPolicy, { store: createMemoryStore() });
}
