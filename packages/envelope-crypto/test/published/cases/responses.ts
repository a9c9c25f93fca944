import { drawnHex } from '../drawn-bytes.js';
import { NOW, sealAnswer, sealVector } from '../seal-vector.js';
import type { ResponseVector, SealedAnswer } from '../vector-types.js';

const PROBLEM = '{"type":"about:blank","status":409,"code":"VERSION_CONFLICT"}';
const DATA = '{"data":[{"name":"Zoë 王"}]}';

/** Answers that a client opens, takes in the clear, or refuses. */
export function responseVectors(): ResponseVector[] {
  const { vector: request } = sealVector('answered', { method: 'GET', path: '/admin/users', response: null });
  const { kid, method, path, nonce, responseKey } = request;
  const envelopeHeaders: [string, string][] = [
    ['Api-Encryption', 'v1'],
    ['Content-Type', 'application/json; charset=utf-8'],
  ];
  const common = { kid, method, path, nonce, responseKey, now: NOW + 20, timestampWindowSeconds: 300 };
  const base: Omit<ResponseVector, 'name'> = {
    ...common,
    ...{ status: 200, headers: envelopeHeaders, body: '', outcome: 'refused', plaintext: null, contentType: null },
  };
  const opened = (name: string, answer: SealedAnswer, change: Partial<ResponseVector> = {}): ResponseVector => ({
    ...{ name, ...base, status: answer.status, body: answer.body, outcome: 'opened', plaintext: answer.plaintext },
    contentType: answer.status >= 400 ? 'application/problem+json' : 'application/json',
    ...change,
  });
  const seal = (status: number, plaintext: string, ts?: number) =>
    sealAnswer(request, { status, plaintext, ...(ts === undefined ? {} : { ts }) });
  const ok = seal(200, DATA);
  const members = JSON.parse(ok.body) as { ts: number; nonce: string; iv: string; ct: string };
  const refused = (name: string, change: Partial<ResponseVector>): ResponseVector => ({
    ...{ name, ...base, body: ok.body },
    ...change,
  });
  const withMembers = (name: string, change: Record<string, unknown>) =>
    refused(name, { body: JSON.stringify({ ...members, ...change }) });
  const clear = (
    name: string,
    status: number,
    type: string | null,
    body: string,
    change: Partial<ResponseVector> = {},
  ): ResponseVector => ({
    ...{ name, ...base, status, headers: type === null ? [] : [['Content-Type', type]], body },
    ...{ outcome: 'in the clear', ...change },
  });
  const { ct } = members;
  const firstOf = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  return [
    opened('200', ok),
    opened('201', seal(201, DATA)),
    opened('409', seal(409, PROBLEM)),
    opened('500', seal(500, PROBLEM)),
    opened('as old as the window', seal(200, DATA, NOW + 20 - 300_000)),
    opened('as far ahead as the window', seal(200, DATA, NOW + 20 + 300_000)),
    opened('members in another order, white space', ok, {
      body: JSON.stringify({ ct, iv: members.iv, nonce: members.nonce, ts: members.ts }, null, ' '),
    }),
    opened('content type without parameters', ok, {
      headers: [
        ['content-type', 'application/json'],
        ['api-encryption', 'v1'],
      ],
    }),
    clear('a refusal', 400, 'application/problem+json', '{"status":400,"code":"ENVELOPE_REJECTED"}'),
    clear('401', 401, 'application/problem+json', '{"status":401,"code":"TOKEN_INVALID"}'),
    clear('204', 204, null, ''),
    clear('304', 304, null, ''),
    clear('a redirect', 302, 'application/json', '{}'),
    clear('200 with a type of JSON and no body', 200, 'application/json', ''),
    clear('200 that is not JSON', 200, 'text/csv', 'a,b\n1,2\n'),
    clear('200 to HEAD', 200, 'application/json', '', { method: 'HEAD' }),
    clear('200 in JSON', 200, 'application/json', DATA, { outcome: 'refused' }),
    clear('200 in JSON, type in capitals with a parameter', 200, 'Application/JSON; charset=utf-8', DATA, {
      outcome: 'refused',
    }),
    clear('201 in JSON by its suffix', 201, 'application/hal+json', DATA, { outcome: 'refused' }),
    refused('another status', { status: 201 }),
    refused('another path', { path: '/admin/roles' }),
    refused('another method', { method: 'POST' }),
    refused('another kid', { kid: '2025-05' }),
    refused('the answer to another request', { nonce: drawnHex('another nonce', 16) }),
    withMembers('the nonce of another request', { nonce: firstOf(members.nonce) }),
    refused('older than the window', { now: NOW + 7 + 300_001 }),
    refused('ahead of the window', { now: NOW + 7 - 300_001 }),
    withMembers('ts changed', { ts: members.ts + 1 }),
    withMembers('ts as text', { ts: String(members.ts) }),
    withMembers('ts with a fraction', { ts: members.ts + 0.5 }),
    withMembers('iv changed', { iv: firstOf(members.iv) }),
    withMembers('iv of 11 bytes', { iv: members.iv.slice(0, 15) }),
    withMembers('ct changed', { ct: firstOf(ct) }),
    withMembers('ct with padding', { ct: `${ct}==` }),
    withMembers('ct shorter than the tag', { ct: 'AAAA' }),
    withMembers('ct missing', { ct: undefined }),
    withMembers('an unknown member', { kid }),
    refused('a byte order mark', { body: `\ufeff${ok.body}` }),
    refused('no JSON', { body: 'x' }),
    refused('an empty body with the header', { body: '' }),
    refused('a list', { body: `[${ok.body}]` }),
    refused('the envelope of the request', { body: sealVector('answered').vector.request.body }),
    refused('sealed with the request key', {
      body: sealAnswer({ ...request, responseKey: request.requestKey }, { status: 200, plaintext: DATA }).body,
    }),
    ...['v2', 'V1', ''].map((version) =>
      refused(`header '${version}'`, { headers: [['Api-Encryption', version], envelopeHeaders[1]!] }),
    ),
    refused('header twice', { headers: [['Api-Encryption', 'v1'], ...envelopeHeaders] }),
  ];
}
