import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { UPLOAD_POLICY_DEFAULTS, type UploadDestination, type UploadPolicy } from '../src/index.js';
import { multipartBody, multipartHeaders } from './multipart-body.js';
import { createUploadApp, type UploadApp } from './upload-app.js';

const body = multipartBody([{ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'text '.repeat(100_000) }]);
const send = ({ app }: UploadApp, sent = body) =>
  app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body: sent });

const notStored = {
  statusCode: 503,
  code: 'UPLOAD_NOT_STORED',
  error: 'Service Unavailable',
  message: 'The file cannot be stored at the moment',
};

/** The destination with some of its methods replaced, while the switch is on. */
function failing(fault: { isOn: boolean }, methods: Partial<UploadDestination<string>>) {
  return (destination: UploadDestination<string>): UploadDestination<string> =>
    fault.isOn ? { ...destination, ...methods } : destination;
}

/** What a full disk answers to every write. */
const writeToFullDisk: UploadDestination['write'] = async (stream) => {
  await pipeline(stream, createWriteStream('/dev/full'));
  throw new Error('A full disk took the file');
};

const reject = async () => {
  throw Object.assign(new Error('EIO: /var/secret/path'), { code: 'EIO' });
};

describe('a destination that fails', () => {
  it.each<[string, Partial<UploadDestination<string>>, string]>([
    ['at once', { write: reject }, 'EIO'],
    ['over the commit', { commit: reject }, 'EIO'],
    ['over reading', { write: async (stream) => ({ size: (await count(stream)).bytes, read: reject }) }, 'EIO'],
    [
      'by keeping less than came',
      { write: async (stream) => ({ size: (await count(stream)).bytes - 1, read: reject }) },
      'kept',
    ],
    ['by not reading to the end', { write: async () => ({ size: 0, read: reject }) }, 'kept'],
  ])(
    'UPL-8 REL-7 %s: 503, the log knows why, nothing is left, and the next upload passes',
    async (_what, methods, cause) => {
      const fault = { isOn: true };
      const upload = await createUploadApp({}, failing(fault, methods));
      expect((await send(upload)).json()).toEqual(notStored);
      expect(upload.logged.join()).toContain(cause);
      expect(upload.left()).toEqual([]);
      fault.isOn = false;
      expect((await send(upload)).statusCode).toBe(200);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'UPL-8 REL-7 UP-14 a full disk, as Linux has one: 503, nothing is left, and the service lives',
    async () => {
      const fault = { isOn: true };
      const upload = await createUploadApp({}, failing(fault, { write: writeToFullDisk }));
      expect((await send(upload)).json()).toEqual(notStored);
      expect(upload.logged.join()).toContain('ENOSPC');
      expect(upload.left()).toEqual([]);
      fault.isOn = false;
      expect((await send(upload)).statusCode).toBe(200);
    },
  );

  it('UPL-8 over the discard: the refusal stands, and the log knows', async () => {
    const upload = await createUploadApp({}, (destination) => ({
      ...destination,
      discard: () => destination.discard().then(reject),
    }));
    const nul = multipartBody([{ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'a\0' }]);
    expect((await send(upload, nul)).statusCode).toBe(415);
    expect(upload.logged.join()).toContain('could not be discarded');
  });

  it('UPL-8 a refusal of its own passes as it is', async () => {
    const quota = async () => {
      throw Object.assign(new Error('Too much'), { statusCode: 507, code: 'QUOTA_EXCEEDED' });
    };
    const upload = await createUploadApp({}, failing({ isOn: true }, { commit: quota }));
    expect((await send(upload)).json()).toMatchObject({ statusCode: 507, code: 'QUOTA_EXCEEDED' });
    expect(upload.left()).toEqual([]);
  });

  it('UPL-8 is told to discard once, after what it writes has ended, and never when it committed', async () => {
    const calls: string[] = [];
    const record =
      (isRefused: boolean) =>
      (destination: UploadDestination<string>): UploadDestination<string> => ({
        write: async (stream) => {
          calls.push('write');
          return destination.write(stream).finally(() => calls.push('written'));
        },
        commit: async (file) => {
          calls.push('commit');
          return isRefused ? reject() : destination.commit(file);
        },
        discard: async () => {
          calls.push('discard');
          await destination.discard();
        },
      });
    await send(await createUploadApp({}, record(false)));
    expect(calls.splice(0)).toEqual(['write', 'written', 'commit']);
    await send(await createUploadApp({}, record(true)));
    expect(calls.splice(0)).toEqual(['write', 'written', 'commit', 'discard']);
    await send(await createUploadApp({}, record(false)), body.subarray(0, -100));
    expect(calls.splice(0)).toEqual(['write', 'written', 'discard']);
    await send(await createUploadApp({ policy: { allowedExtensions: 'png' } }, record(false)));
    expect(calls.splice(0)).toEqual(['discard']);
  });
});

describe('the policy', () => {
  it('UPL-1 a function is asked at every upload, and what it yields is in force at once', async () => {
    let policy: UploadPolicy = UPLOAD_POLICY_DEFAULTS;
    const upload = await createUploadApp({ policy: async () => policy });
    expect((await send(upload)).statusCode).toBe(200);
    policy = { ...policy, allowedExtensions: 'png' };
    const refused = await send(upload);
    expect([refused.statusCode, refused.json().code]).toEqual([415, 'UPLOAD_TYPE_REFUSED']);
  });

  it.each<[string, () => UploadPolicy, string]>([
    [
      'that holds what would not protect',
      () => ({ ...UPLOAD_POLICY_DEFAULTS, allowedExtensions: '*' }),
      'is a pattern',
    ],
    [
      'that can not be read',
      () => {
        throw new Error('database away');
      },
      'database away',
    ],
  ])('UPL-1 one %s: 503, and the log knows why', async (_what, policy, cause) => {
    const upload = await createUploadApp({ policy });
    expect((await send(upload)).json()).toEqual({
      statusCode: 503,
      code: 'UPLOAD_POLICY_UNAVAILABLE',
      error: 'Service Unavailable',
      message: 'Uploads cannot be checked at the moment',
    });
    expect(upload.logged.join()).toContain(cause);
    await expect(upload.app.uploadPolicy.assertPreviewable('png')).rejects.toThrow('cannot be checked');
  });

  it('UPL-1 bad options: refusal to start, every fault by name', async () => {
    const start = createUploadApp({
      policy: { maxSizeMb: 0, allowedExtension: 'png' } as object,
      archive: { maxEntries: 0 },
      textEncodings: ['utf-8', 'klingon'],
      maxFields: -1,
      maxFieldBytes: 0.5,
      limits: {},
    } as object);
    const error: unknown = await start.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(TypeError);
    for (const fault of [
      'limits is no option',
      'policy.maxSizeMb must be',
      'policy.allowedExtension is no option',
      'archive.maxEntries must be a whole number from 1 to 100000',
      '"klingon"',
      'maxFields',
      'maxFieldBytes',
    ]) {
      expect((error as Error).message).toContain(fault);
    }
  });
});

async function count(stream: AsyncIterable<Buffer>): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return { bytes };
}
