import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it, vi } from 'vitest';
import { UPLOAD_POLICY_DEFAULTS, type UploadDestination, type UploadPolicyOptions } from '../src/index.js';
import { countUploadsUnderWay } from '../src/receiving/index.js';
import { multipartBody, multipartHeaders } from './multipart-body.js';
import { createUploadApp, type UploadApp } from './upload-app.js';

const PATIENT = { timeout: 10_000, interval: 10 };
const form = (bytes: Uint8Array | string, fileName = 'a.txt') =>
  multipartBody([{ fileName, mediaType: 'text/plain', bytes }]);
const whole = form('text');

const uploaderOf = ({ headers }: FastifyRequest): string => {
  if (headers['x-uploader'] === 'unknown') throw Object.assign(new Error('Who is it?'), { statusCode: 403 });
  return String(headers['x-uploader']);
};
const one: UploadPolicyOptions = { maxUploadsPerUploader: 1, uploaderOf };

type Wrap = (destination: UploadDestination<string>) => UploadDestination<string>;

const send = ({ app }: UploadApp, body: Buffer | string = whole, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/files',
    headers: { ...multipartHeaders, 'x-uploader': 'ann', ...headers },
    body,
  });

/** A gate at which uploads wait. */
function gate(): { readonly opened: Promise<void>; open(): void; arrived: number } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open, arrived: 0 };
}

describe('uploads under way', () => {
  it('UPL-10 one more than an uploader may have gets 429 and a time, before it is read', async () => {
    const held = gate();
    const upload = await createUploadApp({ ...one, maxUploadsPerUploader: 2 }, (destination) => ({
      ...destination,
      async commit(file) {
        held.arrived++;
        await held.opened;
        return destination.commit(file);
      },
    }));
    const first = [send(upload), send(upload)];
    await vi.waitFor(() => expect(held.arrived).toBe(2), PATIENT);
    const refused = await send(upload);
    expect(refused.json()).toEqual({
      statusCode: 429,
      code: 'UPLOAD_TOO_MANY',
      error: 'Too Many Requests',
      message: 'Too many uploads at the same time',
    });
    expect(refused.headers['retry-after']).toBe('5');
    // Another uploader is not affected.
    const other = send(upload, whole, { 'x-uploader': 'bob' });
    await vi.waitFor(() => expect(held.arrived).toBe(3), PATIENT);
    expect(upload.left()).toHaveLength(3);
    held.open();
    expect((await Promise.all([...first, other])).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await send(upload)).statusCode).toBe(200);
  });

  it('UPL-10 of many at once exactly the allowed number is received, by default 64 from one address', async () => {
    const held = gate();
    const upload = await createUploadApp({}, (destination) => ({
      ...destination,
      async write(stream) {
        held.arrived++;
        await held.opened;
        return destination.write(stream);
      },
    }));
    const sent = Array.from({ length: 80 }, () => send(upload));
    await vi.waitFor(() => expect(held.arrived).toBe(64), PATIENT);
    held.open();
    const codes = (await Promise.all(sent)).map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === 200)).toHaveLength(64);
    expect(codes.filter((code) => code === 429)).toHaveLength(16);
    expect(upload.left()).toHaveLength(64);
  });

  const reject = async () => {
    throw new Error('EIO');
  };
  const large = { policy: { maxSizeMb: 1 } };
  const endings: [string, number, Partial<UploadPolicyOptions>, Buffer | string, Record<string, string>, Wrap?][] = [
    ['a stored file', 200, {}, whole, {}],
    ['a refused name', 415, {}, form('MZ', 'a.exe'), {}],
    ['refused contents', 415, {}, form('a\0'), {}],
    ['an empty file', 400, {}, form(''), {}],
    ['a file that is too large', 413, large, form(Buffer.alloc(1_100_000, 'a')), {}],
    ['a length that is too large', 413, large, form(Buffer.alloc(3_000_000, 'a')), {}],
    ['a form that breaks off', 400, {}, whole.subarray(0, -30), {}],
    ['a form without a file', 400, {}, multipartBody([{ name: 'a', bytes: 'b' }]), {}],
    ['a form with two files', 400, {}, Buffer.concat([whole.subarray(0, -4), Buffer.from('\r\n'), whole]), {}],
    ['a body that is no form', 400, {}, '{}', { 'content-type': 'application/json' }],
    ['a boundary that never comes', 400, {}, 'text', {}],
    [
      'a policy that cannot be read',
      503,
      {
        policy: () => {
          throw new Error('away');
        },
      },
      whole,
      {},
    ],
    ['a destination that cannot write', 503, {}, whole, {}, (it) => ({ ...it, write: reject })],
    ['a destination that cannot commit', 503, {}, whole, {}, (it) => ({ ...it, commit: reject })],
    [
      'a destination that cannot discard',
      415,
      {},
      form('a\0'),
      {},
      (it) => ({ ...it, discard: () => it.discard().then(reject) }),
    ],
    ['an uploader without a name', 403, {}, whole, { 'x-uploader': 'unknown' }],
  ];

  it.each(endings)('UPL-10 end with %s: %i', async (_what, status, options, body, headers, wrap) => {
    let isOn = true;
    const discard = vi.fn();
    const upload = await createUploadApp({ ...one, ...options }, (destination) => {
      const watched = {
        ...destination,
        discard: () => {
          discard();
          return destination.discard();
        },
      };
      return isOn && wrap !== undefined ? wrap(watched) : watched;
    });
    for (let n = 0; n < 3; n++) expect((await send(upload, body, headers)).statusCode).toBe(status);
    expect(discard).toHaveBeenCalledTimes(status === 200 ? 0 : 3);
    isOn = false;
    const next = await send(upload);
    expect(next.statusCode).toBe(options.policy instanceof Function ? 503 : 200);
  });

  it('UPL-10 UPL-8 of a form that ends at any byte is answered, leaves nothing and gives its place back', async () => {
    const field = { name: 'a', bytes: 'b' };
    const file = { fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text' };
    const body = multipartBody([field, file, { ...field, name: 'c' }]);
    const upload = await createUploadApp(one);
    // Without the last line end it is complete.
    for (let length = 0; length < body.length - 2; length++) {
      expect([length, (await send(upload, body.subarray(0, length))).statusCode]).toEqual([length, 400]);
    }
    expect(upload.left()).toEqual([]);
    expect((await send(upload, body)).statusCode).toBe(200);
  });

  it('UPL-10 are not over before the discard of a refused upload is', async () => {
    const held = gate();
    const upload = await createUploadApp(one, (destination) => ({
      ...destination,
      async discard() {
        held.arrived++;
        await held.opened;
        await destination.discard();
      },
    }));
    const refused = send(upload, form('a\0'));
    await vi.waitFor(() => expect(held.arrived).toBe(1), PATIENT);
    const second = send(upload);
    held.open();
    expect((await second).statusCode).toBe(429);
    expect((await refused).statusCode).toBe(415);
    expect((await send(upload)).statusCode).toBe(200);
  });
});

/** A client that stops somewhere. */
async function begin(upload: UploadApp, bytes: Buffer): Promise<ClientRequest> {
  if (upload.app.server.address() === null) await upload.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = upload.app.server.address() as AddressInfo;
  const headers = { ...multipartHeaders, 'x-uploader': 'ann', 'content-length': 500_000 };
  const sent = httpRequest({ port, path: '/files', method: 'POST', headers });
  sent.on('error', () => {});
  sent.flushHeaders();
  if (bytes.length > 0) sent.write(bytes);
  return sent;
}

describe('uploads of clients that disconnect', () => {
  const head = multipartBody([{ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'x' }]);
  const fileHead = head.subarray(0, head.indexOf('x\r\n--'));
  const field = multipartBody([{ name: 'a', bytes: 'x' }]);
  it.each<[string, Buffer]>([
    ['before the body', Buffer.of()],
    ['within the boundary', head.subarray(0, 10)],
    ['within the head of the file', head.subarray(0, 60)],
    ['within a field', field.subarray(0, field.indexOf('x\r\n--'))],
    ['within the file', Buffer.concat([fileHead, Buffer.alloc(200_000, 'a')])],
    ['after the closing boundary of a body that goes on', head],
  ])('UPL-10 %s no longer count', async (_where, bytes) => {
    let asked = 0;
    const policy = () => {
      asked++;
      return UPLOAD_POLICY_DEFAULTS;
    };
    const upload = await createUploadApp({ ...one, policy });
    const sent = await begin(upload, bytes);
    await vi.waitFor(() => expect(asked).toBe(1), PATIENT);
    await new Promise((resolve) => setTimeout(resolve, 20));
    sent.destroy();
    await vi.waitFor(async () => expect((await send(upload)).statusCode).toBe(200), PATIENT);
  });

  it('UPL-10 while the policy is read no longer count', async () => {
    const held = gate();
    const policy = async () => {
      held.arrived++;
      await held.opened;
      return UPLOAD_POLICY_DEFAULTS;
    };
    const upload = await createUploadApp({ ...one, policy });
    let closed = 0;
    upload.app.server.on('connection', (socket) => socket.once('close', () => closed++));
    const sent = await begin(upload, head.subarray(0, 60));
    await vi.waitFor(() => expect(held.arrived).toBe(1), PATIENT);
    sent.destroy();
    await vi.waitFor(() => expect(closed).toBe(1), PATIENT);
    held.open();
    await vi.waitFor(async () => expect((await send(upload)).statusCode).toBe(200), PATIENT);
  });

  it('UPL-10 while the destination works count until it settles', async () => {
    const held = gate();
    const upload = await createUploadApp(one, (destination) => ({
      ...destination,
      async write(stream) {
        held.arrived++;
        await held.opened;
        return destination.write(stream);
      },
    }));
    const sent = await begin(upload, Buffer.concat([fileHead, Buffer.alloc(100_000, 'a')]));
    await vi.waitFor(() => expect(held.arrived).toBe(1), PATIENT);
    sent.destroy();
    expect((await send(upload)).statusCode).toBe(429);
    held.open();
    await vi.waitFor(async () => expect((await send(upload)).statusCode).toBe(200), PATIENT);
    await vi.waitFor(() => expect(upload.left()).toEqual(['stored-1']), PATIENT);
  });
});

describe('countWhile', () => {
  it('UPL-10 counts work of another kind, also if it fails', async () => {
    const upload = await createUploadApp(one);
    const request = { headers: { 'x-uploader': 'ann' } } as unknown as FastifyRequest;
    const { countWhile } = upload.app.uploadPolicy;
    for (const settle of [async () => 'done', reject]) {
      const held = gate();
      const work = countWhile(request, async () => {
        await held.opened;
        return settle();
      });
      await expect(countWhile(request, async () => 'never')).rejects.toMatchObject({ code: 'UPLOAD_TOO_MANY' });
      expect((await send(upload)).statusCode).toBe(429);
      held.open();
      await Promise.allSettled([work]);
      expect((await send(upload)).statusCode).toBe(200);
    }
  });

  async function reject(): Promise<string> {
    throw new Error('no');
  }
});

describe('countUploadsUnderWay', () => {
  it('UPL-10 an end that is called twice ends one upload', () => {
    const underWay = countUploadsUnderWay(2);
    const end = underWay.begin('ann');
    underWay.begin('ann');
    end();
    end();
    underWay.begin('ann');
    expect(() => underWay.begin('ann')).toThrow('Too many uploads at the same time');
  });
});
