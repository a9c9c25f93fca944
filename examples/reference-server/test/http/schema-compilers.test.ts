import { expect, it } from 'vitest';
import { formatChecks, type KnownToFormats } from '../../src/http/body-formats.js';
import { buildSerializer, strictBodies } from '../../src/http/schema-compilers.js';
import { permissionGrantFormat } from '../../src/modules/roles/grants.js';

/** The validator of a new app. Fastify passes the definition of a part of a route. */
function validator(known: KnownToFormats, httpPart: string, schema: object) {
  const compile = strictBodies(known)({}, { customOptions: { formats: formatChecks(known) } });
  return compile({ method: 'POST', url: '/', httpPart, schema });
}

const code = () => ({ type: 'string', format: permissionGrantFormat });
const count = () => ({ type: 'object', properties: { count: { type: 'integer' } } });

it('HTTP-4 apps share the validators of equal schemas, and each validates with its own formats', () => {
  const [one, other] = [{ permissions: ['api:a'] }, { permissions: ['api:b'] }];
  expect(validator(one, 'body', code())).toBe(validator(one, 'body', code()));
  for (const [known, accepted] of [
    [one, ['api:a']],
    [other, ['api:b']],
  ] as const) {
    expect(['api:a', 'api:b'].filter((text) => validator(known, 'body', code())(text))).toEqual(accepted);
  }
});

it('HTTP-4 a body and a query with equal schemas have validators of their own: only the query is coerced', () => {
  const known = { permissions: [] };
  expect(validator(known, 'querystring', count())({ count: '1' })).toBe(true);
  expect(validator(known, 'body', count())({ count: '1' })).toBe(false);
});

it('HTTP-4 apps share the serializers of equal schemas, and different schemas have their own', () => {
  const serializer = (name: string) =>
    buildSerializer(
      {},
      {},
    )({
      method: 'GET',
      url: '/',
      httpStatus: '200',
      schema: { type: 'object', properties: { [name]: { type: 'string' } } },
    });
  expect(serializer('a')).toBe(serializer('a'));
  expect([serializer('a')({ a: 'x', b: 'y' }), serializer('b')({ a: 'x', b: 'y' })]).toEqual([
    '{"a":"x"}',
    '{"b":"y"}',
  ]);
});
