import { createApp } from './app.js';

const app = await createApp();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());
console.log(await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }));
