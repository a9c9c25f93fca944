import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { HoldableRequest } from '../../../scripts/held-request.js';
import { passwordToSend } from '../src/modules/administrators/index.js';
import { type ServiceKey, sealBody } from './sealed-copy.js';

/** What a thief does with a stolen token. Each request makes one row, which its name identifies. */
export interface HeldOperation {
  request(name: string, sender: { readonly token: string; readonly key: ServiceKey }): HoldableRequest;
  countMade(sql: postgres.Sql, name: string): Promise<number>;
}

const BOUNDARY = 'faults';

const headersOf = (token: string, contentType = 'application/json') => ({
  authorization: `Bearer ${token}`,
  'content-type': contentType,
  'idempotency-key': randomUUID(),
});

const jsonTo = (url: string, token: string, body: object): HoldableRequest => ({
  ...{ method: 'POST', url, headers: headersOf(token) },
  payload: JSON.stringify(body),
});

const countOf = async (rows: postgres.PendingQuery<postgres.Row[]>) => (await rows).length;

const payment: HeldOperation = {
  request: (name, { token }) => jsonTo('/admin/payments', token, { payee: name, amount: '12.50' }),
  countMade: (sql, name) => countOf(sql`select 1 from payments where payee = ${name}`),
};

export const heldOperations: Readonly<Record<string, HeldOperation>> = {
  payment,
  'new administrator': {
    request(name, { token }) {
      const body = { username: name, password: passwordToSend('correct horse'), displayName: name };
      return jsonTo('/admin/administrators', token, body);
    },
    countMade: (sql, name) => countOf(sql`select 1 from administrators where username = ${name}`),
  },
  upload: {
    request(name, { token }) {
      const part = `content-disposition: form-data; name="file"; filename="${name}.txt"\r\ncontent-type: text/plain`;
      const payload = `--${BOUNDARY}\r\n${part}\r\n\r\n${'content '.repeat(2000)}\r\n--${BOUNDARY}--\r\n`;
      const headers = headersOf(token, `multipart/form-data; boundary=${BOUNDARY}`);
      return { method: 'POST', url: '/admin/storage/files', headers, payload };
    },
    countMade: (sql, name) => countOf(sql`select 1 from stored_files where display_name = ${`${name}.txt`}`),
  },
  'sealed role': {
    request(name, { token, key }) {
      const body = { name, permissions: ['*'] };
      const { path, request } = sealBody(key, '/admin/roles', { method: 'POST', token, timestamp: Date.now(), body });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...request.headers };
      return { method: 'POST', url: path, headers, payload: request.body as string };
    },
    countMade: (sql, name) => countOf(sql`select 1 from roles where name = ${name}`),
  },
};
