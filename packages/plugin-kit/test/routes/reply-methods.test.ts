import { replaceReplyMethod } from '@sallyport/plugin-kit/routes';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { describe, expect, it } from 'vitest';

const kCounted = Symbol('counted');

/** Notes the requests whose reply is sent. */
function countSends(app: FastifyInstance, sent: string[], mark = kCounted): void {
  const watch = replaceReplyMethod(app, mark, 'send', function counted(send) {
    return function sendCounted(...given) {
      sent.push(this.request.url);
      return send.apply(this, given);
    };
  });
  app.addHook('onRequest', function watchReply(_request, reply, done) {
    watch(reply);
    done();
  });
}

function sendOfFastify(reply: FastifyReply): FastifyReply['send'] {
  let owner: object = reply;
  while (Object.getPrototypeOf(owner) !== Object.prototype) owner = Object.getPrototypeOf(owner);
  return Reflect.get(owner, 'send');
}

const ownFunctions = (reply: FastifyReply) => Object.entries(reply).filter(([, value]) => typeof value === 'function');

describe('replaceReplyMethod', () => {
  it('replaces the method for all requests of the application, and gives no reply a method of its own', async () => {
    const app = Fastify();
    const sent: string[] = [];
    const own: unknown[] = [];
    countSends(app, sent);
    app.addHook('onResponse', async (_request, reply) => own.push(...ownFunctions(reply)));
    app.get('/', (_request, reply) => reply.send({}));
    await app.register(async (scope) => {
      scope.decorateReply('own', null);
      scope.get('/scope', async () => ({}));
    });
    for (const url of ['/', '/scope', '/scope', '/unknown']) await app.inject(url);
    expect(sent).toEqual(['/', '/scope', '/scope', '/unknown']);
    expect(own).toEqual([]);
  });

  it('leaves the replies of another application alone', async () => {
    const sent: string[] = [];
    const app = Fastify();
    countSends(app, sent);
    app.get('/', async () => ({}));
    const other = Fastify();
    other.get('/other', async () => ({}));
    await app.inject('/');
    expect((await other.inject('/other')).statusCode).toBe(200);
    expect(sent).toEqual(['/']);
  });

  it.each([[['/a', '/b']], [['/b', '/a']]])(
    'replaces it once in an application, for two scopes asked in the order %j',
    async (urls) => {
      const sent: string[] = [];
      const app = Fastify();
      for (const url of ['/a', '/b']) {
        await app.register(async (scope) => {
          countSends(scope, sent);
          scope.get(url, async () => ({}));
        });
      }
      for (const url of urls) await app.inject(url);
      expect(sent).toEqual(urls);
    },
  );

  it('lets several plugins replace one method, whichever scope is asked first', async () => {
    const first: string[] = [];
    const second: string[] = [];
    const app = Fastify();
    await app.register(async (scope) => {
      countSends(scope, first);
      scope.get('/scope', async () => ({}));
    });
    await app.register(fp(async (root) => countSends(root, second, Symbol('second'))));
    app.get('/', async () => ({}));
    for (const url of ['/scope', '/', '/scope']) await app.inject(url);
    for (const sent of [first, second]) expect(sent).toEqual(['/scope', '/', '/scope']);
  });

  it.each([
    [
      'a hook',
      (app: FastifyInstance, calls: string[]) =>
        app.addHook('onRequest', async (request, reply) => {
          const { send } = reply;
          reply.send = (payload) => {
            calls.push(request.url);
            return send.call(reply, payload);
          };
        }),
    ],
    [
      'the scope',
      (app: FastifyInstance, calls: string[]) =>
        app.decorateReply('send', function own(this: FastifyReply, payload: unknown) {
          calls.push(this.request.url);
          return sendOfFastify(this).call(this, payload);
        }),
    ],
  ])('watches the reply that has got another method from %s, from the first request on', async (_by, wrap) => {
    const [calls, sent]: [string[], string[]] = [[], []];
    const app = Fastify();
    await app.register(async (scope) => {
      wrap(scope, calls);
      countSends(scope, sent);
      scope.get('/a', async () => ({ served: true }));
    });
    app.get('/b', async () => ({}));
    for (const url of ['/a', '/b', '/a']) expect((await app.inject(url)).statusCode).toBe(200);
    expect(calls).toEqual(['/a', '/a']);
    expect([...new Set(sent)]).toEqual(['/a']);
    expect(sent.length).toBeGreaterThanOrEqual(2);
  });

  it('replaces it for a reply alone where Fastify has no class for the application', async () => {
    const sent: string[] = [];
    const app = Fastify();
    const other = Fastify();
    const watch = replaceReplyMethod(app, Symbol('elsewhere'), 'send', (send) => {
      return function sendCounted(...given) {
        sent.push(this.request.url);
        return send.apply(this, given);
      };
    });
    other.addHook('onRequest', async (request, reply) => {
      if (request.url === '/watched') watch(reply);
    });
    for (const url of ['/watched', '/other']) other.get(url, async () => ({}));
    for (const url of ['/watched', '/other', '/watched']) await other.inject(url);
    expect(sent).toEqual(['/watched', '/watched']);
  });
});
