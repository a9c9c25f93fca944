import cors from '@fastify/cors';
import authTokens from '@sallyport/auth-tokens';
import Fastify from 'fastify';
import { admin, listen, options, salaries } from './options.mjs';

const app = Fastify();
if (process.argv[2] === 'before') await app.register(cors, { origin: 'https://shop.example' });
await app.register(authTokens, options);
if (process.argv[2] === 'after') await app.register(cors, { origin: 'https://shop.example' });
app.get('/salaries', admin, salaries);
await listen(app);
