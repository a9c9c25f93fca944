import Fastify, { type FastifyRequest } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import auditLog, { createMemorySink } from '../src/index.js';

/** An application whose error handler answers 200 to everything, as some do. */
async function openApp(actorOf: (request: FastifyRequest) => unknown = () => 'ada') {
  const sink = createMemorySink();
  const app = Fastify();
  onTestFinished(() => app.close());
  app.setErrorHandler(async (_error, _request, reply) => reply.code(200).send({ success: false }));
  await app.register(auditLog, { sink, actorOf: actorOf as () => string });
  let runs = 0;
  app.post('/payments', { config: { audit: 'payment' } }, async () => {
    runs += 1;
    throw new Error('The mail was not sent');
  });
  app.post('/cards', { config: { audit: 'card' } }, () => {
    throw Object.assign(new Error('The card is refused'), { statusCode: 402, code: 'CARD_REFUSED' });
  });
  app.get('/orders', { config: { audit: 'order' } }, async () => {
    throw new TypeError('x');
  });
  return { app, sink, runs: () => runs };
}

describe('an error handler that answers 200', () => {
  it('ADP-2 does not make a success of what has failed', async () => {
    const { app, sink } = await openApp();
    for (const url of ['/payments', '/cards']) await app.inject({ method: 'POST', url });
    expect((await app.inject('/orders')).statusCode).toBe(200);
    expect(
      sink.records().map(({ action, outcome, reason, extra }) => [action, outcome, reason, extra.exception]),
    ).toEqual([
      ['payment.create', 'unknown', null, null],
      ['card.create', 'refused', 'CARD_REFUSED', 'Error CARD_REFUSED'],
      ['order.read', 'failure', null, 'TypeError'],
    ]);
  });
});

describe('actorOf', () => {
  it.each([
    ['a promise', async () => 'ada'],
    ['a promise that rejects', async () => Promise.reject(new Error('away'))],
    ['an object', () => ({ id: 7 })],
    ['a boolean', () => true],
  ])('ADP-2 must say who it is: %s stops the operation', async (_what, actorOf) => {
    const { app, runs } = await openApp(actorOf);
    await app.inject({ method: 'POST', url: '/payments' });
    expect(runs()).toBe(0);
  });

  it.each([
    ['a number', 7, '7'],
    ['undefined', undefined, null],
  ])('ADP-2 may be %s', async (_what, actor, kept) => {
    const { app, sink } = await openApp(() => actor);
    await app.inject({ method: 'POST', url: '/payments' });
    expect(sink.records()[0]?.actor).toBe(kept);
  });
});
