import { sm3 } from '../../../src/gm/index.js';
import { b64u } from '../drawn-bytes.js';
import { keyOf } from '../published-keys.js';
import type { BindingVector, BootstrapVector, TargetVector } from '../vector-types.js';

const digest = (token: string): string => b64u(sm3(Buffer.from(token)));

export function authorizationVectors(): BindingVector[] {
  const token = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl';
  const every = 'AZaz09-._~+/==';
  const bound: [string, string, string][] = [
    ['a bearer token', `Bearer ${token}`, token],
    ['scheme in lower case', `bearer ${token}`, token],
    ['scheme in upper case', `BEARER ${token}`, token],
    ['three spaces', `Bearer   ${token}`, token],
    ['every character of a token', `Bearer ${every}`, every],
    ['a token of one character', 'Bearer a', 'a'],
  ];
  const unbound: [string, string | null][] = [
    ['no header', null],
    ['another scheme', 'Basic YTpi'],
    ['the scheme alone', 'Bearer'],
    ['two tokens', `Bearer ${token} ${token}`],
    ['a tab', `Bearer\t${token}`],
    ['= within the token', 'Bearer a=b'],
    ['a comma', 'Bearer a,b'],
    ['a token beyond ASCII', 'Bearer é'],
    ['a scheme that begins so', `Bearers ${token}`],
  ];
  return [
    ...bound.map(([name, value, of]) => ({ name, value, field: digest(of) })),
    ...unbound.map(([name, value]) => ({ name, value, field: '-' })),
  ];
}

export function idempotencyKeyVectors(): BindingVector[] {
  const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
  const good: [string, string][] = [
    ['a UUID', '6f9619ff-8b86-d011-b42d-00cf4fc964ff'],
    ['one character', '0'],
    ['every visible character', visible],
    ['255 characters', 'k'.repeat(255)],
    ['two signs of absence', '--'],
  ];
  const bad: [string, string][] = [
    ['empty', ''],
    ['the sign of absence', '-'],
    ['256 characters', 'k'.repeat(256)],
    ['a space', 'a b'],
    ['beyond ASCII', 'é'],
  ];
  return [
    { name: 'no header', value: null, field: '-' },
    ...good.map(([name, value]) => ({ name, value, field: value })),
    ...bad.map(([name, value]) => ({ name, value, field: null })),
  ];
}

export function targetVectors(): TargetVector[] {
  const split: [string, string, string, string | null][] = [
    ['a path', '/admin/users', '/admin/users', null],
    ['a path and a query', '/admin/users?page=2&size=50', '/admin/users', 'page=2&size=50'],
    ['the root', '/', '/', null],
    ['an empty query', '/a?', '/a', ''],
    ['a second question mark', '/a?b?c', '/a', 'b?c'],
    ['escapes stay', '/a%2Fb/%E4%B8%AD?q=%20', '/a%2Fb/%E4%B8%AD', 'q=%20'],
    ['escapes in lower case stay', '/a%2fb', '/a%2fb', null],
    ['dot segments stay', '/a/../b/./c', '/a/../b/./c', null],
    ['double slashes stay', '//a//b/', '//a//b/', null],
    ['signs that a URL escapes', '/a"<>\\^`{|}', '/a"<>\\^`{|}', null],
    ['a plus stays', '/a+b?c=d+e', '/a+b', 'c=d+e'],
  ];
  const refused: [string, string][] = [
    ['absolute form', 'http://service.test/a'],
    ['asterisk form', '*'],
    ['a fragment', '/a#b'],
    ['a space', '/a b'],
    ['beyond ASCII', '/é'],
    ['a control character', '/a\u0001'],
    ['empty', ''],
  ];
  return [
    ...split.map(([name, target, path, query]) => ({ name, target, path, query })),
    ...refused.map(([name, target]) => ({ name, target, path: null, query: null })),
  ];
}

export function bootstrapVectors(): BootstrapVector[] {
  const { kid, publicKey } = keyOf('2025-11');
  const data = {
    ...{ mode: 'REQUIRED', suite: 'sm2-sm4-gcm-v1', version: 1, keyId: kid, publicKey },
    ...{ timestampWindowSeconds: 300, maxPayloadBytes: 65_536, maxQueryBytes: 4096 },
    ...{ serverTime: 1_763_700_000_000, exempt: ['/actuator/health'] },
  };
  const vector = (name: string, change: object, accepted: boolean): BootstrapVector => ({
    name,
    body: JSON.stringify({ data: { ...data, ...change } }),
    accepted,
  });
  const { keyId: _, publicKey: __, ...keyless } = data;
  return [
    vector('REQUIRED', {}, true),
    vector('OPTIONAL', { mode: 'OPTIONAL' }, true),
    vector('OFF with a key', { mode: 'OFF' }, true),
    { name: 'OFF without a key', body: JSON.stringify({ data: { ...keyless, mode: 'OFF' } }), accepted: true },
    vector('a member that is not known', { later: { a: 1 } }, true),
    vector('the widest limits', { timestampWindowSeconds: 86_400, maxPayloadBytes: 16_777_216 }, true),
    vector('an unknown mode', { mode: 'required' }, false),
    vector('another suite', { suite: 'sm2-sm4-gcm-v2' }, false),
    vector('another version', { version: 2 }, false),
    vector('the version as text', { version: '1' }, false),
    vector('a keyId with a space', { keyId: 'a b' }, false),
    vector('a keyId of 65 characters', { keyId: 'k'.repeat(65) }, false),
    vector('a key in upper case', { publicKey: publicKey.toUpperCase() }, false),
    vector('a key without 04', { publicKey: publicKey.slice(2) }, false),
    vector('a key that is not on the curve', { publicKey: `${publicKey.slice(0, -1)}c` }, false),
    vector('a compressed key', { publicKey: `02${publicKey.slice(2, 66)}` }, false),
    { name: 'REQUIRED without a key', body: JSON.stringify({ data: keyless }), accepted: false },
    vector('a window of more than a day', { timestampWindowSeconds: 86_401 }, false),
    vector('a negative window', { timestampWindowSeconds: -1 }, false),
    vector('a limit as text', { maxPayloadBytes: '65536' }, false),
    vector('no time', { serverTime: null }, false),
    { name: 'no data', body: '{}', accepted: false },
    { name: 'no JSON', body: '<html>', accepted: false },
  ];
}
