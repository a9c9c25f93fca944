import fc from 'fast-check';
import Fastify, { type HTTPMethods } from 'fastify';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { listRoutes } from '../../src/routes/listed-routes.js';

const segment = fc.constantFrom('a', 'ab', 'abc', 'b', 'user s', ':id', 'x:y', '(GET)', 'ü', '• (onError) []');
const url = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => `/${segments.join('/')}`)
  .chain((path) => fc.constantFrom(path, `${path}/`, `${path}/*`, '/', '*'));
const methods = fc.uniqueArray(fc.constantFrom<HTTPMethods>('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'), {
  minLength: 1,
});

describe('the list of routes', () => {
  it('ADP-2 has every method and URL of the router, and the hooks of each', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ url, methods, isHooked: fc.boolean() }), { maxLength: 8 }),
        async (routes) => {
          const app = Fastify({ exposeHeadRoutes: false });
          const added: string[] = [];
          // One method at a time: of several, Fastify adds those before the one that is there already.
          for (const { url, methods, isHooked } of routes) {
            const onError = isHooked ? { onError: [async function marked() {}] } : {};
            for (const method of methods) {
              if (added.some((one) => one.startsWith(`${method} ${url} `))) continue;
              try {
                app.route({ method, url, ...onError, handler: async () => 'x' });
              } catch {
                continue; // The same route under another name of a parameter.
              }
              added.push(`${method} ${url} ${isHooked}`);
            }
          }
          await app.ready();
          const listed = listRoutes(app).map(
            ({ method, url, hooks }) => `${method} ${url} ${hooks.onError?.includes('marked') === true}`,
          );
          expect(listed.sort()).toEqual(added.sort());
          await app.close();
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('ADP-2 keeps the key of a route when another names its parameter differently', async () => {
    const app = Fastify();
    app.get('/users/:id', async () => 1);
    const [before] = listRoutes(app);
    app.delete('/users/:name', async () => 1);
    expect(listRoutes(app).filter(({ key }) => key === before?.key)).toHaveLength(1);
    await app.close();
  });

  it('ADP-2 tells routes apart that differ in their constraints', async () => {
    const app = Fastify({ exposeHeadRoutes: false });
    app.get('/x', async () => 1);
    app.get('/x', { constraints: { version: '1.2.0' } }, async () => 1);
    const listed = listRoutes(app);
    expect(listed.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /x', 'GET /x']);
    expect(new Set(listed.map(({ key }) => key)).size).toBe(2);
    await app.close();
  });
});
