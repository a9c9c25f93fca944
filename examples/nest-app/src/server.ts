import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import auditLog from '@sallyport/audit-log';
import { createFileSink } from '@sallyport/audit-log/file';
import authTokens, { generateSigningKey } from '@sallyport/auth-tokens';
import idempotency from '@sallyport/idempotency';
import { createMemoryStore } from '@sallyport/ttl-store';
import { CodedErrorFilter } from './fastify-in-nest.js';
import { auditFile, OrdersController } from './orders.controller.js';
import { SessionController } from './session.controller.js';

@Module({ controllers: [SessionController, OrdersController] })
class AppModule {}

const logger = ['warn' as const, 'error' as const];
const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), { logger });
app.useGlobalFilters(new CodedErrorFilter(app.getHttpAdapter()));
app.enableShutdownHooks();

// Before app.init(), which declares the routes: a plugin protects only what is declared after it. Each with await.
const store = createMemoryStore(); // with more than one process: createRedisStore, createPostgresStore
await app.register(auditLog, { sink: await createFileSink({ path: auditFile }) });
const signingKey = generateSigningKey(); // create it once and store it: a new key ends every token
await app.register(authTokens, { store, issuer: 'https://example.com', signingKey });
await app.register(idempotency, { store });

await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
console.log(`Listening on ${await app.getUrl()}`);
