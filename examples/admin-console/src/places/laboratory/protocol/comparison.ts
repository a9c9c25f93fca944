import type { Exchange } from './delivery.js';
import { tokenDigest } from './envelope.js';

/** What two exchanges are compared by. */
export const COMPARED = ['target', 'query', 'body', 'token', 'key', 'ts', 'nonce', 'ek', 'iv', 'ct', 'status'] as const;
export type Compared = (typeof COMPARED)[number];

/** The values of an exchange. Null: it has none. */
export function valuesOf({ sent, answer }: Exchange): Readonly<Record<Compared, string | null>> {
  const { request, envelope, token } = sent;
  const members = envelope?.members;
  return {
    target: `${request.method} ${request.path}`,
    query: request.query === '' ? null : request.query,
    body: request.body === '' ? null : request.body,
    token: token === null ? null : tokenDigest(token),
    key: request.idempotencyKey,
    ts: members === undefined ? null : String(members.ts),
    nonce: members?.nonce ?? null,
    ek: members?.ek ?? null,
    iv: members?.iv ?? null,
    ct: members?.ct ?? null,
    status: answer.kind === 'answered' ? [answer.status, answer.code].filter((part) => part !== null).join(' ') : null,
  };
}
