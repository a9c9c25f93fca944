import { NOW, type SealInput, sealVector } from '../seal-vector.js';
import type { PlaintextVector, RequestVector } from '../vector-types.js';

const TOKEN = 'Bearer eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl';
const USERS = '/admin/users';
const GET: SealInput = { method: 'GET', path: USERS };
const repeated = (byte: number) => ({
  baseKey: new Uint8Array(16).fill(byte),
  nonce: new Uint8Array(16).fill(byte),
  iv: new Uint8Array(12).fill(byte),
});

/** Requests that the service serves, and their answers. */
export function requestVectors(): RequestVector[] {
  const inputs: Record<string, SealInput> = {
    'POST without a token': {},
    'POST with a token and an idempotency key': {
      ...{ path: '/admin/payments', authorization: TOKEN, idempotencyKey: '6f9619ff-8b86-d011-b42d-00cf4fc964ff' },
      ...{ body: '{"payee":"Ada","amount":"12.50"}', response: { status: 201, plaintext: '{"data":{"id":"1"}}' } },
    },
    'POST with query and body': { path: '/admin/payments', query: 'dryRun=true', body: '{"amount":"12.50"}' },
    'POST with a query alone': { path: '/admin/jobs', query: 'now=1', body: '' },
    'POST with neither': { path: '/auth/logout', authorization: TOKEN, body: '', response: null },
    'POST in a query envelope': { path: '/admin/jobs', carrier: 'query', query: 'now=1' },
    'PUT, the body has line feeds': { method: 'PUT', path: '/admin/profile', body: '{\n"displayName":\n"Zoë"\n}' },
    PATCH: { method: 'PATCH', path: '/admin/profile', body: '{"displayName":"王小明 🎉"}' },
    'DELETE in a query envelope': { method: 'DELETE', path: `${USERS}/1`, carrier: 'query', response: null },
    'DELETE in a body envelope': { method: 'DELETE', path: USERS, body: '{"ids":[1,2]}', response: null },
    'GET with parameters': { ...GET, query: 'page=2&size=50', authorization: TOKEN },
    'GET without parameters': GET,
    HEAD: { ...GET, method: 'HEAD', query: 'page=1', response: null },
    'escapes in the query, and a plus': { ...GET, query: 'name=%E7%8E%8B%20%2B+x&empty=&flag&a=1&a=2' },
    'a query beyond ASCII': { ...GET, query: 'name=王' },
    'escapes in the path stay as they are': { ...GET, path: '/files/a%2Fb%20c/%e7%8e%8b' },
    'double slashes and dot segments in the path': { ...GET, path: '//admin/../admin/./users/' },
    'signs in the path that a URL need not escape': { ...GET, path: "/a;b=1,c/(d)!$&'*+:@~" },
    'the root': { ...GET, path: '/' },
    'the scheme in lower case, three spaces': { ...GET, authorization: TOKEN.replace('Bearer ', 'bearer   ') },
    'another scheme binds like none': { ...GET, authorization: 'Basic YTpi' },
    'an earlier key': { kid: '2025-05' },
    'kid of one character': { kid: 'a' },
    'base key, nonce and IV of zeros': { secrets: repeated(0) },
    'base key, nonce and IV of ones': { secrets: repeated(255) },
    'as old as the window': { ts: NOW - 300_000 },
    'as far ahead as the window': { ts: NOW + 300_000 },
    'stamped at the start of a memory': { ts: NOW - 1000, server: { notBefore: NOW - 1000 } },
    'as long as maxPayloadBytes': {
      ...{ body: JSON.stringify('x'.repeat(997)), server: { maxPayloadBytes: 1000, maxQueryBytes: 1000 } },
    },
    'as long as maxQueryBytes': {
      ...{ ...GET, query: `q=${'x'.repeat(998)}`, server: { maxPayloadBytes: 1000, maxQueryBytes: 1000 } },
    },
    ...Object.fromEntries(
      [12, 13, 14, 15, 29, 30].map((length) => [
        `a plaintext of ${length + 3} bytes`,
        { body: JSON.stringify('y'.repeat(length)) },
      ]),
    ),
    ...Object.fromEntries(
      [400, 404, 409, 503].map((status) => [
        `an answer with ${status}`,
        { response: { status, plaintext: `{"status":${status},"code":"SOME_CODE"}` } },
      ]),
    ),
    'an empty list as answer': { ...GET, response: { status: 200, plaintext: '[]' } },
  };
  const sealed = Object.entries(inputs).map(([name, input]) => sealVector(name, input).vector);
  return [...sealed, ...otherTexts()];
}

/** Envelopes whose text is not the shortest one. */
function otherTexts(): RequestVector[] {
  const rewritten = (name: string, rewrite: (members: Record<string, unknown>) => string): RequestVector => {
    const { vector, members } = sealVector(name);
    return { ...vector, request: { ...vector.request, body: rewrite({ ...members }) } };
  };
  return [
    rewritten('members in another order, white space', (members) =>
      JSON.stringify(Object.fromEntries(Object.entries(members).reverse()), null, '\t'),
    ),
    rewritten('a name twice: the last one counts', (members) =>
      JSON.stringify(members).replace('{', '{"kid":"unknown","ts":0,'),
    ),
    rewritten('ts as a decimal fraction', ({ ts, ...rest }) =>
      JSON.stringify({ ts: 0, ...rest }).replace('"ts":0', `"ts":${ts}.0`),
    ),
    rewritten('ts with an exponent', ({ ts, ...rest }) =>
      JSON.stringify({ ts: 0, ...rest }).replace('"ts":0', `"ts":${Number(ts) / 10}e1`),
    ),
    rewritten('escapes in the JSON text', (members) => JSON.stringify(members).replace('"kid"', '"\\u006bid"')),
  ];
}

/** Requests that are no envelopes to the service. */
export function plaintextVectors(): PlaintextVector[] {
  const { vector, members } = sealVector('plaintext');
  const inTheClear = (name: string, server: PlaintextVector['server'], headers: [string, string][] = []) => ({
    ...{ name, server },
    request: {
      ...vector.request,
      ...{ headers: [['Content-Type', 'application/json'] as const, ...headers], body: '{"username":"admin"}' },
    },
  });
  return [
    inTheClear('mode OPTIONAL, no header', { mode: 'OPTIONAL' }),
    inTheClear('mode OFF, the header', { mode: 'OFF' }, [['Api-Encryption', 'v1']]),
    inTheClear('an exempt route', { exempt: true }),
    inTheClear('an exempt route, a header of another version', { exempt: true }, [['Api-Encryption', 'v9']]),
    {
      name: 'mode OPTIONAL, an envelope without the header is an ordinary body',
      server: { mode: 'OPTIONAL' },
      request: {
        ...vector.request,
        ...{ headers: [['Content-Type', 'application/json']], body: JSON.stringify(members) },
      },
    },
  ];
}
