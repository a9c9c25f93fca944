import { randomBytes } from 'node:crypto';
import { createMemoryStore } from '@sallyport/ttl-store';

export const options = { mode: 'REQUIRED', keyId: '2026-11', privateKey: randomBytes(32).toString('hex') };

export const replay = { store: createMemoryStore() };

export const pay = async () => ({ paid: true });

export const listen = (app) => app.listen({ port: Number(process.env.PORT) });
