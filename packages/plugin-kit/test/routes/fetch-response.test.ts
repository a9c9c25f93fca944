import { isResponse } from '@sallyport/plugin-kit/routes';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';

/** A `Response` of another implementation. */
class ForeignResponse {
  readonly status = 202;
  readonly headers = new Headers();
  readonly body = null;
  readonly [Symbol.toStringTag] = 'Response';
}

describe('a fetch Response', () => {
  it.each<[string, unknown, boolean]>([
    ['of the global class', new Response(), true],
    ['of another implementation', new ForeignResponse(), true],
    ['only by its name', { name: 'Response', status: 202 }, false],
    ['its body', new Response('x').body, false],
    ['nothing', null, false],
  ])('ENV-1 is what Fastify takes for one: %s', async (_, payload, expected) => {
    expect(isResponse(payload)).toBe(expected);
    const app = Fastify();
    app.get('/', async (_request, reply) => reply.send(payload));
    expect((await app.inject('/')).statusCode === (payload as { status?: number } | null)?.status).toBe(expected);
    await app.close();
  });
});
