import { describe, expect, it } from 'vitest';
import { asForm, createApiClient, dataOf, hashPassword, newKey, RefusedError, writeOnce } from '../src/index.js';

const BOOTSTRAP = {
  data: {
    ...{ mode: 'OFF', suite: 'sm2-sm4-gcm-v1', version: 1, timestampWindowSeconds: 300 },
    ...{ maxPayloadBytes: 65_536, maxQueryBytes: 4096, serverTime: Date.now(), exempt: [] },
  },
};

const SIGNED_IN = { token: 'the-token', tokenType: 'Bearer', expiresAt: 0, username: 'admin', deviceToken: 'd' };

const problem = (status: number, code: string) => ({
  ...{ type: 'about:blank', title: '', status, detail: 'Refused', code, requestId: 'r' },
});

/** A client of a service that answers with these contents in turn, and what it was sent. */
function clientOf(...answers: readonly (readonly [status: number, content?: object, headers?: object] | Error)[]) {
  const sent: { path: string; headers: Headers; body: string }[] = [];
  const rest = [...answers];
  const client = createApiClient({
    // What was sealed to an address is remembered in the process.
    baseUrl: `http://${crypto.randomUUID()}.test/`,
    language: 'zh-CN',
    async fetch(input, init) {
      const request = new Request(input, init);
      const { pathname: path } = new URL(request.url);
      if (path === '/encryption/public-key') return Response.json(BOOTSTRAP);
      sent.push({ path, headers: request.headers, body: (await request.clone().text()).slice(0, 500) });
      const answer = rest.shift();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('nothing more to answer');
      const [status, content, more = {}] = answer;
      const init_ = { status, headers: { 'content-type': 'application/json', ...more } };
      return new Response(content === undefined ? null : JSON.stringify(content), init_);
    },
  });
  return { client, sent };
}

const payment = { payee: 'Harbour Supplies', amount: '12.50' };
const keyOf = ({ headers }: { readonly headers: Headers }) => headers.get('idempotency-key');
const QUICK = { pauseMillis: 0 };

describe('the typed client', () => {
  it('API-3 ADM-7 signs in with the digest of the password, and sends the token afterwards', async () => {
    const { client, sent } = clientOf(
      [200, { data: SIGNED_IN }],
      [200, { data: { username: 'admin', displayName: '' } }],
    );
    await client.signIn({ username: 'admin', password: 'abc' });
    expect(JSON.parse(sent[0]!.body)).toEqual({
      ...{ username: 'admin', terminal: 'web' },
      // GB/T 32905-2016, A.1
      password: '66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0',
    });
    const { data } = dataOf(await client.api.GET('/admin/profile'));
    expect([data.username, client.token]).toEqual(['admin', 'the-token']);
    const { headers } = sent[1]!;
    expect([headers.get('authorization'), headers.get('accept-language')]).toEqual(['Bearer the-token', 'zh-CN']);
    expect(sent[0]!.headers.has('authorization')).toBe(false);
  });

  it('API-3 HTTP-4 an empty password beside a code stays empty, and is not sent as its digest', async () => {
    const { client, sent } = clientOf([200, { data: { ...SIGNED_IN, mobile: '+8613912345678' } }]);
    await client.signInToApp({ mobile: '+8613912345678', password: '', smsCode: '123456' });
    expect(JSON.parse(sent[0]!.body)).toMatchObject({ password: '', smsCode: '123456' });
  });

  it('API-3 forgets the token on signing out, also if the service can’t be reached', async () => {
    const { client } = clientOf([200, { data: SIGNED_IN }], new TypeError('fetch failed'));
    await client.signIn({ username: 'admin', password: 'abc' });
    await expect(client.signOut()).rejects.toThrow('fetch failed');
    expect(client.token).toBeNull();
  });

  it('API-3 HTTP-2 yields the code of a refusal, or throws it', async () => {
    const refusal = [403, problem(403, 'PERMISSION_DENIED')] as const;
    const { client } = clientOf(refusal, refusal);
    const { error } = await client.api.GET('/admin/payments');
    expect(error?.code).toBe('PERMISSION_DENIED');
    const thrown = await client.api
      .GET('/admin/payments')
      .then(dataOf)
      .catch((each: unknown) => each);
    expect(thrown).toBeInstanceOf(RefusedError);
    expect(thrown).toMatchObject({ code: 'PERMISSION_DENIED', message: '403 PERMISSION_DENIED: Refused' });
  });

  it('API-3 IDM-1 repeats a write of unknown outcome with its key, and a new write has a new one', async () => {
    const { client, sent } = clientOf(
      new TypeError('fetch failed'),
      [409, problem(409, 'IDEMPOTENCY_PROCESSING'), { 'retry-after': '0' }],
      [409, problem(409, 'IDEMPOTENCY_SUBMITTED')],
      [201, { data: payment }],
    );
    const pay = () =>
      writeOnce((header) => client.api.POST('/admin/payments', { params: { header }, body: payment }), QUICK);
    expect((await pay()).error?.code).toBe('IDEMPOTENCY_SUBMITTED');
    expect(dataOf(await pay()).data.payee).toBe(payment.payee);
    const [first, second, third, other] = sent.map(keyOf);
    expect([second, third]).toEqual([first, first]);
    expect([first, other]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.not.stringMatching(first!)]);
  });

  it('API-3 gives up a write after its attempts, with the last answer or error', async () => {
    const busy = [503, problem(503, 'STORE_UNAVAILABLE')] as const;
    const { client, sent } = clientOf(busy, busy, new TypeError('fetch failed'), new TypeError('fetch failed again'));
    const pay = () =>
      writeOnce((header) => client.api.POST('/admin/payments', { params: { header }, body: payment }), {
        ...QUICK,
        attempts: 2,
      });
    expect((await pay()).error?.code).toBe('STORE_UNAVAILABLE');
    await expect(pay()).rejects.toThrow('fetch failed again');
    expect(sent).toHaveLength(4);
  });

  it('API-3 leaves long pauses and other errors to the application, which can go on with the key', async () => {
    const stopped = new DOMException('stopped', 'AbortError');
    const busy = [503, problem(503, 'STORE_UNAVAILABLE'), { 'retry-after': '900' }] as const;
    const { client, sent } = clientOf(stopped, busy);
    const key = newKey();
    const pay = () =>
      writeOnce((header) => client.api.POST('/admin/payments', { params: { header }, body: payment }), {
        ...QUICK,
        key,
      });
    await expect(pay()).rejects.toBe(stopped);
    expect((await pay()).error?.code).toBe('STORE_UNAVAILABLE');
    expect(sent.map(keyOf)).toEqual([key['Idempotency-Key'], key['Idempotency-Key']]);
  });

  it('API-3 UPL-9 uploads a file as a form with a key, and makes the address of a download', async () => {
    const { client, sent } = clientOf(
      [201, { data: { id: 'file-1' } }],
      [201, { data: { ticket: 'ticket-1', expiresInSeconds: 60 } }],
    );
    const key = newKey();
    const file = new File(['a,b'], 'table.csv', { type: 'text/csv' });
    const { id } = await client.upload(file, { publicPreview: true, key });
    expect([id, keyOf(sent[0]!)]).toEqual(['file-1', key['Idempotency-Key']]);
    expect(sent[0]!.body).toMatch(/name="file"; filename="table.csv"\r\nContent-Type: text\/csv\r\n\r\na,b\r\n/);
    expect(sent[0]!.body).toMatch(/name="publicPreview"\r\n\r\ntrue\r\n/);
    expect(String(await client.downloadUrl(id))).toMatch(
      /^http:\/\/.*\.test\/public\/storage\/download\?id=file-1&ticket=/,
    );
    expect(JSON.parse(sent[1]!.body)).toEqual({ purpose: 'storage:download', resource: 'file-1' });
  });

  it('API-3 leaves out the fields of a form that are not given', () => {
    expect([...asForm({ one: 'a', two: undefined }).keys()]).toEqual(['one']);
    expect(hashPassword('')).toMatch(/^1ab21d8355cfa17f8e61194831e81a8f/);
  });
});
