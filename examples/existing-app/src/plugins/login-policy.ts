import { createMemoryStore } from '@sallyport/ttl-store';

export { default } from '@sallyport/login-policy';
export const autoConfig = { store: createMemoryStore() };
