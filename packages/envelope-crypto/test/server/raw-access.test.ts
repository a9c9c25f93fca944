import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { seal } from '../sealed-request.js';
import { createService, type Service } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  for (const { app } of opened.splice(0)) await app.close();
});

const read = async (request: FastifyRequest) => ({
  data: { raw: request.raw.url, url: request.url, originalUrl: request.originalUrl, query: request.query },
});

async function serve(routes: (app: FastifyInstance) => unknown, mode: 'OPTIONAL' | 'REQUIRED' = 'REQUIRED') {
  const service = await createService({ crypto: { mode }, routes });
  opened.push(service);
  return service;
}

const declared = { deliverRawUrl: true };

describe('ENV-17 a handler that reads the raw URL', () => {
  it('gets the plaintext query where its route declares that, and everything else stays as sent', async () => {
    const service = await serve((app) => app.get('/proxied', { config: declared }, read));
    const request = seal(service, { method: 'GET', path: '/proxied', query: 'page=2&name=%E5%BC%A0' });
    const { data } = JSON.parse(request.open(await request.send()));
    expect(data).toMatchObject({ raw: '/proxied?page=2&name=%E5%BC%A0', query: { page: '2', name: '张' } });
    expect(data.url).toMatch(/^\/proxied\?__enc=[\w-]+$/);
    expect(data.originalUrl).toBe(data.url);
    expect(service.log.join()).not.toContain('page=2');
  });

  it('gets the query of a body envelope, and one that no URL may contain in its escapes', async () => {
    const service = await serve((app) => app.post('/proxied', { config: declared }, read));
    const request = seal(service, { path: '/proxied', query: 'a=张 #&b="', body: { c: 1 } });
    const { data } = JSON.parse(request.open(await request.send()));
    expect(data).toMatchObject({ raw: '/proxied?a=%E5%BC%A0%20%23&b="', url: '/proxied' });
  });

  it.each(['GET', 'POST'] as const)('is refused elsewhere, and not answered without a query: %s', async (method) => {
    const seen: unknown[] = [];
    const service = await serve((app) =>
      app.route({
        method,
        url: '/proxied',
        async handler(request) {
          // As @fastify/reply-from does.
          seen.push(request.raw.url?.split('?')[1]);
          return { data: 'an answer to no question' };
        },
      }),
    );
    const request = seal(service, { method, path: '/proxied', query: 'page=2' });
    const answer = await request.send();
    expect(answer).toMatchObject({ statusCode: 500, headers: { 'api-encryption': 'v1' } });
    expect(JSON.parse(request.open(answer))).toMatchObject({ code: 'ENVELOPE_RAW_URL_UNDECLARED' });
    expect(request.open(answer)).toContain('route /proxied');
    expect(seen).toEqual([]);
    expect(service.log.join()).toContain('ENVELOPE_RAW_URL_UNDECLARED');
    expect(service.log.join()).not.toContain('page=2');
  });

  it('is refused in a hook of the route, too', async () => {
    const service = await serve((app) =>
      app.get('/hooked', { preHandler: async ({ raw }) => void raw.url?.length }, async () => ({ data: 'served' })),
    );
    const request = seal(service, { method: 'GET', path: '/hooked', query: 'a=1' });
    expect(JSON.parse(request.open(await request.send()))).toMatchObject({ code: 'ENVELOPE_RAW_URL_UNDECLARED' });
  });

  it('is refused where the handler goes on after the read failed', async () => {
    const service = await serve((app) =>
      app.get('/proxied', async ({ raw }) => {
        const read = () => new URL(raw.url!, 'http://x').search;
        return {
          data: await Promise.resolve()
            .then(read)
            .catch(() => ''),
        };
      }),
    );
    const request = seal(service, { method: 'GET', path: '/proxied', query: 'a=1' });
    expect(JSON.parse(request.open(await request.send()))).toMatchObject({ code: 'ENVELOPE_RAW_URL_UNDECLARED' });
  });

  it('gets the path where there is no query, and what was sent in the clear', async () => {
    const service = await serve((app) => app.get('/proxied', read), 'OPTIONAL');
    const request = seal(service, { method: 'GET', path: '/proxied' });
    expect(JSON.parse(request.open(await request.send())).data).toMatchObject({ raw: '/proxied', query: {} });
    const plain = await service.app.inject('/proxied?page=2');
    expect(plain.json().data).toMatchObject({ raw: '/proxied?page=2', url: '/proxied?page=2' });
  });

  it('is not needed by logs of an error, nor by hooks that run after the handler', async () => {
    const seen: unknown[] = [];
    const service = await serve((app) => {
      const note = async ({ raw, url }: FastifyRequest) => void seen.push(raw.url === url && url.includes('?__enc='));
      app.addHook('onSend', note);
      app.addHook('onResponse', note);
      app.addHook('onError', note);
      app.get('/fails', async ({ log, query, url }) => {
        log.info({ query, url }, 'within');
        throw new Error('the handler failed');
      });
      app.get('/works', async () => ({ data: 'served' }));
    });
    for (const [path, status] of [['/fails', 500] as const, ['/works', 200] as const]) {
      const request = seal(service, { method: 'GET', path, query: 'a=1' });
      expect(await request.send()).toMatchObject({ statusCode: status, headers: { 'api-encryption': 'v1' } });
    }
    expect(seen).toEqual([true, true, true, true, true]);
  });
});

describe('ENV-17 the URL of Node.js after the answer', () => {
  /** As a logger of Connect or a tracer does: it listens to the end of the reply, and errors there end the process. */
  const listenAtEnd = (seen: unknown[]) => async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.raw.on('finish', () => {
      try {
        seen.push(_request.raw.url);
      } catch (error) {
        seen.push(error);
      }
    });
  };

  it('is that which was sent, for the logs of a route that declares the read', async () => {
    const seen: unknown[] = [];
    const service = await serve((app) => {
      app.addHook('onRequest', listenAtEnd(seen));
      app.addHook('onResponse', async ({ raw }) => void seen.push(raw.url));
      app.get('/proxied', { config: declared }, read);
    });
    const request = seal(service, { method: 'GET', path: '/proxied', query: 'page=2' });
    expect(JSON.parse(request.open(await request.send())).data.raw).toBe('/proxied?page=2');
    expect(seen).toEqual([expect.stringContaining('?__enc='), expect.stringContaining('?__enc=')]);
  });

  it.each([{}, declared])('is that which was sent, when a reply was taken over: %o', async (config) => {
    const seen: unknown[] = [];
    const service = await serve((app) => {
      app.addHook('onRequest', listenAtEnd(seen));
      app.get('/stream', { config: { ...config, allowHijack: true } }, (_request, reply) => {
        reply.hijack();
        reply.raw.end('in the clear');
      });
    });
    const request = seal(service, { method: 'GET', path: '/stream', query: 'page=2' });
    expect((await request.send()).body).toBe('in the clear');
    expect(seen).toEqual([expect.stringContaining('?__enc=')]);
  });
});

describe('ENV-17 a hijacked reply', () => {
  const takeOver = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    reply.raw.end('in the clear');
  };

  it.each(['REQUIRED', 'OPTIONAL'] as const)(
    'is refused in mode %s, sealed and with a line in the log',
    async (mode) => {
      const service = await serve((app) => app.get('/stream', takeOver), mode);
      const request = seal(service, { method: 'GET', path: '/stream' });
      const answer = await request.send();
      expect(answer.statusCode).toBe(500);
      expect(JSON.parse(request.open(answer))).toMatchObject({ code: 'ENVELOPE_HIJACK_UNDECLARED' });
      expect(service.log.join()).toContain('ENVELOPE_HIJACK_UNDECLARED');
    },
  );

  it.each<[string, (reply: FastifyReply) => unknown]>([
    ['a head', ({ raw }) => raw.writeHead(200, { 'content-type': 'text/event-stream' })],
    ['a piece', ({ raw }) => raw.write('data: in the clear')],
    ['an end', ({ raw }) => raw.end('in the clear')],
    ['headers at once', ({ raw }) => raw.flushHeaders()],
    ['a pipe', ({ raw }) => Readable.from(['in the clear']).pipe(raw)],
    ['a pipeline', ({ raw }) => pipeline(Readable.from(['in the clear']), raw)],
  ])('is refused as well where nobody calls it so: %s of the reply of Node.js', async (_, write) => {
    const service = await serve((app) =>
      app.get('/stream', async (_request, reply) => {
        await write(reply);
        return reply;
      }),
    );
    const request = seal(service, { method: 'GET', path: '/stream' });
    const answer = await request.send();
    expect(answer.statusCode).toBe(500);
    expect(JSON.parse(request.open(answer))).toMatchObject({ code: 'ENVELOPE_HIJACK_UNDECLARED' });
    expect(service.log.join()).toContain('ENVELOPE_HIJACK_UNDECLARED');
  });

  it('is none where Fastify sends the reply, a stream or an error of a later hook', async () => {
    const service = await serve((app) => {
      app.get('/stream', async (_request, reply) => reply.type('text/csv').send(Readable.from(['a,b'])));
      app.get('/fails', { errorHandler: (error) => Promise.reject(error) }, () => Promise.reject(new Error('no')));
    });
    expect(await seal(service, { method: 'GET', path: '/stream' }).send()).toMatchObject({ body: 'a,b' });
    expect((await seal(service, { method: 'GET', path: '/fails' }).send()).statusCode).toBe(500);
  });

  it('leaves where the route declares it, and for a request in the clear', async () => {
    for (const mode of ['REQUIRED', 'OPTIONAL'] as const) {
      const declares = await serve((app) => app.get('/stream', { config: { allowHijack: true } }, takeOver), mode);
      const answer = await seal(declares, { method: 'GET', path: '/stream' }).send();
      expect(answer).toMatchObject({ statusCode: 200, body: 'in the clear' });
    }
    const optional = await serve((app) => app.get('/stream', takeOver), 'OPTIONAL');
    expect((await optional.app.inject('/stream')).body).toBe('in the clear');
  });
});

describe('ENV-17 an unknown path', () => {
  /** As Next.js is mounted: it routes by itself, and writes its own answers. */
  const mount = (seen: unknown[], app: FastifyInstance) =>
    app.setNotFoundHandler((request, reply) => {
      reply.hijack();
      seen.push(request.raw.url);
      reply.raw.end('in the clear');
    });

  it.each(['GET', 'POST'] as const)('is not answered past Fastify: %s', async (method) => {
    const seen: unknown[] = [];
    const service = await serve((app) => mount(seen, app));
    const request = seal(service, { method, path: '/page', query: 'page=2' });
    const answer = await request.send();
    expect(answer).toMatchObject({ statusCode: 500, headers: { 'api-encryption': 'v1' } });
    expect(JSON.parse(request.open(answer))).toMatchObject({ code: 'ENVELOPE_HIJACK_UNDECLARED' });
    expect(seen).toEqual([]);
  });

  it('has no raw URL for a handler of the application, unless the envelope has no query', async () => {
    const service = await serve((app) =>
      app.setNotFoundHandler(async ({ raw, url }, reply) => reply.code(404).send({ raw: raw.url === url })),
    );
    for (const method of ['GET', 'POST'] as const) {
      const asked = seal(service, { method, path: '/page', query: 'page=2' });
      const refused = await asked.send();
      expect(refused.statusCode).toBe(500);
      expect(JSON.parse(asked.open(refused))).toMatchObject({
        code: 'ENVELOPE_RAW_URL_UNDECLARED',
        detail: expect.stringContaining('route of unknown paths'),
      });
      const empty = seal(service, { method, path: '/page' });
      const answer = await empty.send();
      expect(answer.statusCode).toBe(404);
      expect(JSON.parse(empty.open(answer))).toEqual({ raw: true });
    }
  });

  it('is answered by Fastify, which names the URL as it was sent', async () => {
    const service = await serve(() => {});
    const request = seal(service, { method: 'GET', path: '/page', query: 'page=2' });
    const answer = await request.send();
    expect(answer.statusCode).toBe(404);
    expect(JSON.parse(request.open(answer)).message).toContain('GET:/page?__enc=');
  });

  it('is a route that calls it so, whatever the route declares', async () => {
    const notFound = (_request: FastifyRequest, reply: FastifyReply) => void reply.callNotFound();
    const routes = (app: FastifyInstance) =>
      app
        .get('/gone', notFound)
        .get('/declared', { config: { ...declared, allowHijack: true } }, notFound)
        .post('/gone', notFound);
    const service = await serve(routes);
    const mounted: unknown[] = [];
    const withMount = await serve((app) => mount(mounted, routes(app)));
    for (const [method, path] of [
      ['GET', '/gone'] as const,
      ['GET', '/declared'] as const,
      ['POST', '/gone'] as const,
    ]) {
      const request = seal(service, { method, path, query: 'page=2' });
      const answer = await request.send();
      expect(answer.statusCode).toBe(404);
      expect(JSON.parse(request.open(answer))).toMatchObject({ error: 'Not Found' });
      const other = seal(withMount, { method, path, query: 'page=2' });
      const refused = await other.send();
      expect(refused.statusCode).toBe(500);
      expect(JSON.parse(other.open(refused))).toMatchObject({ code: 'ENVELOPE_HIJACK_UNDECLARED' });
    }
    expect(mounted).toEqual([]);
    expect(service.log.join()).toContain('Route GET:/gone?__enc=');
    expect(service.log.join()).not.toContain('page=2');
  });
});

describe('ENV-17 the declarations', () => {
  it.each(['deliverRawUrl', 'allowHijack'])('refuse anything but true and false: %s', async (name) => {
    const routes = (app: FastifyInstance) => app.get('/x', { config: { [name]: 'yes' } }, read);
    await expect(serve(routes)).rejects.toThrow(`config.${name} must be true or false`);
  });

  it('are refused where they are misspelt', async () => {
    const routes = (app: FastifyInstance) => app.get('/x', { config: { deliverRawURL: true } as object }, read);
    await expect(serve(routes)).rejects.toThrow('deliverRawUrl');
  });
});
