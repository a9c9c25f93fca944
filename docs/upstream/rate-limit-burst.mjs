// @fastify/rate-limit, memory store: parallel requests at the edge of a limit.
import rateLimit from '@fastify/rate-limit';
import { fastify } from 'fastify';

const app = fastify();
await app.register(rateLimit, { max: 5, timeWindow: 60_000 });
app.get('/', () => 'served');
const answers = await Promise.all(Array.from({ length: 10 }, () => app.inject('/')));
const served = answers.filter(({ statusCode }) => statusCode === 200).length;
console.log(`of 10 parallel requests with a limit of 5, ${served} were served`);
process.exitCode = served === 5 ? 0 : 1;
