import { sm4GcmSeal } from '../../../src/gm/index.js';
import { b64u, bytesOf, drawn, hexOf } from '../drawn-bytes.js';
import { type Members, NOW, requestOf, type SealInput, sealVector } from '../seal-vector.js';
import type { HttpRequest, RefusalVector, VectorServer } from '../vector-types.js';
import { refusedWraps } from './primitives.js';

type Server = Partial<VectorServer>;

const STATUS: Readonly<Record<string, number>> = {
  TOO_LARGE: 413,
  REPLAY_STORE_UNAVAILABLE: 503,
  KEY_UNAVAILABLE: 503,
};

function refusal(name: string, step: string, code: string, request: HttpRequest, server: Server = {}): RefusalVector {
  return { name, step, server, request, status: STATUS[code] ?? 400, code: `ENVELOPE_${code}` };
}

const GET: SealInput = { method: 'GET', path: '/admin/users', query: 'page=2' };
const post = sealVector('refused POST');
const get = sealVector('refused GET', GET);
const text = JSON.stringify(post.members);
const value = b64u(Buffer.from(JSON.stringify(get.members)));

const without = (request: HttpRequest, name: string): HttpRequest => ({
  ...request,
  headers: request.headers.filter(([each]) => each !== name),
});
const withHeader = (request: HttpRequest, name: string, content: string): HttpRequest => ({
  ...request,
  headers: [...request.headers, [name, content]],
});
const withBody = (body: string): HttpRequest => ({ ...post.vector.request, body });
const withTarget = (target: string): HttpRequest => ({ ...get.vector.request, target });
const withMembers = (change: Partial<Record<keyof Members | 'extra', unknown>>): HttpRequest =>
  withBody(JSON.stringify({ ...post.members, ...change }));
const flip = (member: string, bit: number): string => {
  const bytes = Buffer.from(member, 'base64url');
  bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
  return b64u(bytes);
};

/** Requests that the service refuses, each with the one code that the order of the steps gives. */
export function refusalVectors(): RefusalVector[] {
  return [...headers(), ...shapes(), ...members(), ...lengths(), ...keysAndTimes(), ...openings(), ...records()];
}

function headers(): RefusalVector[] {
  const { request } = post.vector;
  const bare = without(request, 'Api-Encryption');
  const version = (name: string) => withHeader(bare, 'Api-Encryption', name);
  const optional: Server = { mode: 'OPTIONAL' };
  return [
    refusal('REQUIRED, in the clear', '0', 'REQUIRED', { ...bare, body: '{"a":1}' }),
    refusal('REQUIRED, an envelope without the header', '0', 'REQUIRED', bare),
    refusal('REQUIRED, __enc without the header', '0', 'REQUIRED', without(get.vector.request, 'Api-Encryption')),
    refusal(
      'OPTIONAL, __enc without the header',
      '0',
      'MALFORMED',
      without(get.vector.request, 'Api-Encryption'),
      optional,
    ),
    ...['v2', 'V1', '', 'v1,v1'].map((name) => refusal(`header '${name}'`, '0', 'VERSION_UNSUPPORTED', version(name))),
    refusal('header twice', '0', 'VERSION_UNSUPPORTED', withHeader(request, 'Api-Encryption', 'v1')),
    refusal('header v2 wins over a malformed envelope', '0', 'VERSION_UNSUPPORTED', { ...version('v2'), body: 'x' }),
    refusal('OPTIONAL, header v2', '0', 'VERSION_UNSUPPORTED', version('v2'), optional),
  ];
}

function shapes(): RefusalVector[] {
  const { request } = post.vector;
  const targets: [string, string][] = [
    ['no envelope', '/admin/users'],
    ['a parameter after __enc', `/admin/users?__enc=${value}&page=2`],
    ['a parameter before __enc', `/admin/users?page=2&__enc=${value}`],
    ['__enc twice', `/admin/users?__enc=${value}&__enc=${value}`],
    ['__enc in capitals', `/admin/users?__ENC=${value}`],
    ['an escaped __enc', `/admin/users?%5F_enc=${value}`],
    ['__enc with padding', `/admin/users?__enc=${value}=`],
    ['__enc with an escape', `/admin/users?__enc=${value}%41`],
    ['__enc in the alphabet of base64', `/admin/users?__enc=${value}+`],
    ['__enc is empty', '/admin/users?__enc='],
    ['the target in absolute form', `http://service.test/admin/users?__enc=${value}`],
    ['a fragment in the target', `/admin/users?__enc=${value}#a`],
  ];
  const keys: [string, string][] = [
    ['Idempotency-Key is -', '-'],
    ['Idempotency-Key is empty', ''],
    ['Idempotency-Key has a space', 'a b'],
    ['Idempotency-Key of 256 characters', 'k'.repeat(256)],
  ];
  const key = sealVector('refused key', { idempotencyKey: 'k-1' }).vector.request;
  const token = sealVector('refused token', { authorization: 'Bearer a.b.c' }).vector.request;
  const typed = (type: string) => withHeader(without(request, 'Content-Type'), 'Content-Type', type);
  const malformed = (name: string, refused: HttpRequest) => refusal(name, '1a', 'MALFORMED', refused);
  return [
    ...targets.map(([name, target]) =>
      refusal(name, name === '__enc is empty' ? '1c' : '1a', 'MALFORMED', withTarget(target)),
    ),
    malformed('a query beside a body envelope', { ...request, target: `${request.target}?a=1` }),
    malformed('an empty query beside a body envelope', { ...request, target: `${request.target}?` }),
    malformed('__enc beside a body envelope', { ...request, target: `${request.target}?__enc=${value}` }),
    malformed('a body on GET', { ...request, method: 'GET' }),
    ...keys.map(([name, content]) => malformed(name, withHeader(request, 'Idempotency-Key', content))),
    malformed('Idempotency-Key twice', withHeader(key, 'Idempotency-Key', 'k-1')),
    malformed('Authorization twice', withHeader(token, 'Authorization', 'Bearer a.b.c')),
    malformed('content type text/plain', typed('text/plain')),
    malformed('content type with a suffix', typed('application/problem+json')),
    malformed('no content type', without(request, 'Content-Type')),
    malformed('a content encoding', withHeader(request, 'Content-Encoding', 'gzip')),
  ];
}

function members(): RefusalVector[] {
  const { kid, ts, nonce, ek, iv, ct } = post.members;
  const changes: [string, Partial<Record<keyof Members | 'extra', unknown>>][] = [
    ['an unknown member', { extra: 1 }],
    ...(['kid', 'ts', 'nonce', 'ek', 'iv', 'ct'] as const).map(
      (name): [string, Partial<Record<keyof Members, unknown>>] => [`${name} missing`, { [name]: undefined }],
    ),
    ['kid is a number', { kid: 2025 }],
    ['kid is empty', { kid: '' }],
    ['kid with a space', { kid: '2025 11' }],
    ['kid of 65 characters', { kid: 'k'.repeat(65) }],
    ['ts is text', { ts: String(ts) }],
    ['ts has a fraction', { ts: ts + 0.5 }],
    ['ts is negative', { ts: -1 }],
    ['ts is 2^53', { ts: 2 ** 53 }],
    ['ts is null', { ts: null }],
    ['nonce with padding', { nonce: `${nonce}==` }],
    ['nonce of 15 bytes', { nonce: b64u(bytesOf(post.vector.nonce).subarray(1)) }],
    ['nonce with unused bits', { nonce: `${nonce.slice(0, -1)}${nonce.endsWith('B') ? 'C' : 'B'}` }],
    ['ek of 112 bytes', { ek: b64u(Buffer.from(ek, 'base64url').subarray(0, -1)) }],
    ['ek of 114 bytes', { ek: b64u(Buffer.concat([Buffer.from(ek, 'base64url'), Buffer.from([0])])) }],
    ['ek begins with 02', { ek: flip(flip(ek, 5), 6) }],
    ['ek begins with 06', { ek: flip(ek, 6) }],
    ['iv of 11 bytes', { iv: b64u(bytesOf(post.vector.iv).subarray(1)) }],
    ['iv of 16 bytes', { iv: hexToB64u(hexOf(drawn('iv of 16 bytes', 16))) }],
    ['ct of 15 bytes', { ct: b64u(drawn('ct of 15 bytes', 15)) }],
    ['ct in the alphabet of base64', { ct: `${ct.slice(0, -2)}+/` }],
  ];
  const texts: [string, string][] = [
    ['no JSON', 'x'],
    ['a list', `[${text}]`],
    ['null', 'null'],
    ['a byte order mark', `\ufeff${text}`],
    ['two objects', text + text],
    ['a name twice, the last one malformed', text.replace(/}$/, ',"iv":"x"}')],
    ['kid as ASCII with a line feed', text.replace(kid, `${kid}\\n`)],
    ['iv with a space', text.replace(iv, `${iv.slice(0, -1)} `)],
  ];
  return [
    ...changes.map(([name, change]) => refusal(name, '1c', 'MALFORMED', withMembers(change))),
    ...texts.map(([name, body]) => refusal(name, '1c', 'MALFORMED', withBody(body))),
  ];
}

const hexToB64u = (hex: string): string => b64u(bytesOf(hex));

function lengths(): RefusalVector[] {
  const small: Server = { maxPayloadBytes: 1000, maxQueryBytes: 1000 };
  const maxText = 4 * Math.ceil((1000 + 16) / 3) + 1024;
  const long = sealVector('refused long', { body: JSON.stringify('x'.repeat(998)) });
  const longGet = sealVector('refused long GET', { ...GET, query: `q=${'x'.repeat(999)}` }).vector.request;
  const padded = (body: string, length: number) => body + ' '.repeat(length - body.length);
  const tooLarge = (name: string, step: string, request: HttpRequest) =>
    refusal(name, step, 'TOO_LARGE', request, small);
  return [
    tooLarge('a text one byte too long', '1b', withBody(padded(text, maxText + 1))),
    tooLarge('a text too long that is not JSON', '1b', withBody('x'.repeat(maxText + 1))),
    tooLarge('a plaintext one byte too long', '1d', long.vector.request),
    tooLarge('a query one byte too long', '1d', longGet),
    tooLarge('too large wins over an unknown kid', '1d', withBody(JSON.stringify({ ...long.members, kid: 'x' }))),
    refusal(
      'malformed wins over a ct that is too long',
      '1c',
      'MALFORMED',
      withBody(JSON.stringify({ ...long.members, iv: 'AAAA' })),
      small,
    ),
  ];
}

function keysAndTimes(): RefusalVector[] {
  const at = (name: string, ts: number) => sealVector(`refused ${name}`, { ts }).vector.request;
  const late = (name: string, request: HttpRequest, server?: Server) =>
    refusal(name, '3', 'EXPIRED_OR_REPLAYED', request, server);
  return [
    refusal('an unknown kid', '2', 'KEY_UNKNOWN', withMembers({ kid: '2026-02' })),
    refusal('a kid in other capitals', '2', 'KEY_UNKNOWN', withMembers({ kid: 'A' })),
    refusal('a kid that is not accepted any more', '2', 'KEY_UNKNOWN', post.vector.request, { kids: ['2025-05'] }),
    refusal('a name twice, the last kid unknown', '2', 'KEY_UNKNOWN', withBody(text.replace(/}$/, ',"kid":"x"}'))),
    refusal('an unknown kid wins over an old time', '2', 'KEY_UNKNOWN', withMembers({ kid: 'x', ts: 0 })),
    late('a millisecond too old', at('old', NOW - 300_001)),
    late('a millisecond too far ahead', at('ahead', NOW + 300_001)),
    late('ts in seconds', at('seconds', Math.floor(NOW / 1000))),
    late('an old time wins over a broken tag', withMembers({ ts: 0 })),
    late('before the memory began', at('memory', NOW - 1001), { notBefore: NOW - 1000 }),
  ];
}

function openings(): RefusalVector[] {
  const { request, kid, requestKey, responseKey, iv, aad, plaintext } = post.vector;
  const { ct, ts, nonce } = post.members;
  const token = sealVector('refused token', { authorization: 'Bearer a.b.c' }).vector.request;
  const key = sealVector('refused key', { idempotencyKey: 'k-1' }).vector.request;
  const rejected = (name: string, step: string, refused: HttpRequest) => refusal(name, step, 'REJECTED', refused);
  const resealed = (keyHex: string, data: string) =>
    b64u(sm4GcmSeal(bytesOf(keyHex), bytesOf(iv), Buffer.from(data), bytesOf(plaintext)));
  return [
    ...refusedWraps(bytesOf(post.vector.baseKey), 'refused wraps').map(([name, bytes]) =>
      rejected(name, '4', withMembers({ ek: b64u(bytes) })),
    ),
    rejected('the kid of another key', '4', withMembers({ kid: '2025-05' })),
    rejected('ek of another envelope', '5', withMembers({ ek: sealVector('refused ek').members.ek })),
    rejected('first bit of ct', '5', withMembers({ ct: flip(ct, 0) })),
    rejected('last bit of the tag', '5', withMembers({ ct: flip(ct, 8 * Buffer.from(ct, 'base64url').length - 1) })),
    rejected('tag cut to 12 bytes', '5', withMembers({ ct: b64u(Buffer.from(ct, 'base64url').subarray(0, -4)) })),
    rejected('another iv', '5', withMembers({ iv: flip(post.members.iv, 0) })),
    rejected('another nonce', '5', withMembers({ nonce: flip(nonce, 0) })),
    rejected('another ts', '5', withMembers({ ts: ts + 1 })),
    rejected('another path', '5', { ...request, target: '/admin/auth/logout' }),
    rejected('the path with a slash at its end', '5', { ...request, target: `${request.target}/` }),
    rejected('the path with an escape', '5', { ...request, target: request.target.replace('admin', '%61dmin') }),
    rejected('another method', '5', { ...request, method: 'PUT' }),
    rejected('another token', '5', withHeader(without(token, 'Authorization'), 'Authorization', 'Bearer a.b.d')),
    rejected('without the token', '5', without(token, 'Authorization')),
    rejected('with a token', '5', withHeader(request, 'Authorization', 'Bearer a.b.c')),
    rejected('another idempotency key', '5', withHeader(without(key, 'Idempotency-Key'), 'Idempotency-Key', 'k-2')),
    rejected('without the idempotency key', '5', without(key, 'Idempotency-Key')),
    rejected('with an idempotency key', '5', withHeader(request, 'Idempotency-Key', 'k-1')),
    rejected(
      'a body envelope in the query',
      '5',
      requestOf({ ...post.vector, carrier: 'query', authorization: null, idempotencyKey: null }, text),
    ),
    rejected('sealed with the response key', '5', withMembers({ ct: resealed(responseKey, aad) })),
    rejected(
      'another suite in the authenticated data',
      '5',
      withMembers({
        ct: resealed(requestKey, aad.replace('sm2-sm4-gcm-v1', 'sm2-sm4-gcm-v2')),
      }),
    ),
    rejected('a line feed after the authenticated data', '5', withMembers({ ct: resealed(requestKey, `${aad}\n`) })),
    refusal('the key provider does not answer', '4', 'KEY_UNAVAILABLE', request, { unavailable: 'key provider' }),
    refusal('an unknown kid wins over the key provider', '2', 'KEY_UNKNOWN', withMembers({ kid: `${kid}x` }), {
      unavailable: 'key provider',
    }),
  ];
}

function records(): RefusalVector[] {
  const { request, kid } = post.vector;
  const recorded: Server = { recorded: [[kid, post.members.nonce]] };
  const store: Server = { unavailable: 'replay store' };
  const { members: other } = get;
  return [
    refusal('sent again', '6', 'EXPIRED_OR_REPLAYED', request, recorded),
    refusal('a query envelope sent again', '6', 'EXPIRED_OR_REPLAYED', get.vector.request, {
      recorded: [[other.kid, other.nonce]],
    }),
    refusal(
      'a broken tag wins over a replay',
      '5',
      'REJECTED',
      withMembers({ ct: flip(post.members.ct, 0) }),
      recorded,
    ),
    refusal('the replay store does not answer', '6', 'REPLAY_STORE_UNAVAILABLE', request, store),
    refusal('a broken tag wins over the store', '5', 'REJECTED', withMembers({ ct: flip(post.members.ct, 0) }), store),
  ];
}
