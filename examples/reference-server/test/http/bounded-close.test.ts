import Fastify, { type FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { boundCloseHooks } from '../../src/http/bounded-close.js';

describe('the parts of a server that stops', () => {
  let app: FastifyInstance;
  let closed: string[];
  let warnings: string[];
  beforeEach(() => {
    closed = [];
    warnings = [];
    const stream = { write: (line: string) => void warnings.push(JSON.parse(line).err.message) };
    app = Fastify({ logger: { level: 'warn', stream } });
    boundCloseHooks(app, 20);
  });

  it('OPS-7 one that never closes keeps neither the others nor the caller waiting', async () => {
    app.addHook('onClose', async () => void closed.push('first'));
    app.addHook('onClose', function closeQueue() {
      return new Promise<void>(() => {});
    });
    await app.register(async function inner(scope) {
      scope.addHook('onClose', function closeInner(_app, _done) {});
    });
    app.addHook('onClose', (_app, done) => {
      closed.push('last');
      done();
    });
    await app.close();
    expect(closed).toEqual(['last', 'first']);
    expect(warnings.map((text) => text.split(' ', 1)[0]).sort()).toEqual(['closeInner', 'closeQueue']);
  });

  it('OPS-7 each gets the scope and the instance as without the bound, and its error is passed on', async () => {
    const seen: unknown[] = [];
    app.addHook('onClose', async function notePlace(this: FastifyInstance, given) {
      seen.push(this, given);
    });
    await app.ready();
    await app.close();
    expect(seen).toEqual([app, app]);
    expect(warnings).toEqual([]);

    const failing = Fastify();
    boundCloseHooks(failing, 20);
    failing.addHook('onClose', async () => {
      throw new Error('cannot close');
    });
    await failing.ready();
    await expect(failing.close()).rejects.toThrow('cannot close');
  });
});
