import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { lacks } from '../../../scripts/test-needs.js';
import {
  createFileDestination,
  explainUpload,
  inspectUpload,
  UPLOAD_POLICY_DEFAULTS,
  type UploadDestination,
  type UploadPolicy,
  UploadPolicySetupError,
} from '../src/index.js';
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

/** The destination, with some of its methods replaced while the switch is on. */
function failing(fault: { isOn: boolean }, methods: Partial<UploadDestination<string>>) {
  return (destination: UploadDestination<string>): UploadDestination<string> =>
    fault.isOn ? { ...destination, ...methods } : destination;
}

/** The error of every write to a full disk. */
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
    'UPL-8 REL-7 %s: 503 with the cause in the log, nothing is left, and the next upload passes',
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

  it.skipIf(lacks('linux'))(
    'UPL-8 REL-7 UP-14 on a full Linux disk is 503, leaves nothing, and the service continues',
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

  it('UPL-8 in discard leaves the refusal unchanged and is logged', async () => {
    const upload = await createUploadApp({}, (destination) => ({
      ...destination,
      discard: () => destination.discard().then(reject),
    }));
    const nul = multipartBody([{ fileName: 'a.txt', mediaType: 'text/plain', bytes: 'a\0' }]);
    expect((await send(upload, nul)).statusCode).toBe(415);
    expect(upload.logged.join()).toContain('could not be discarded');
  });

  it('UPL-8 with a refusal of its own passes it on unchanged', async () => {
    const quota = async () => {
      throw Object.assign(new Error('Too much'), { statusCode: 507, code: 'QUOTA_EXCEEDED' });
    };
    const upload = await createUploadApp({}, failing({ isOn: true }, { commit: quota }));
    expect((await send(upload)).json()).toMatchObject({ statusCode: 507, code: 'QUOTA_EXCEEDED' });
    expect(upload.left()).toEqual([]);
  });

  it('UPL-8 gets one discard, after its write has ended, and none after a commit', async () => {
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
  it('UPL-1 is read from a function at every upload, and is in force at once', async () => {
    let policy: UploadPolicy = UPLOAD_POLICY_DEFAULTS;
    const upload = await createUploadApp({ policy: async () => policy });
    expect((await send(upload)).statusCode).toBe(200);
    policy = { ...policy, allowedExtensions: 'png' };
    const refused = await send(upload);
    expect([refused.statusCode, refused.json().code]).toEqual([415, 'UPLOAD_TYPE_REFUSED']);
  });

  it.each<[string, () => UploadPolicy, string]>([
    [
      'with a value that would not protect',
      () => ({ ...UPLOAD_POLICY_DEFAULTS, allowedExtensions: '*' }),
      'is a pattern',
    ],
    [
      'that cannot be read',
      () => {
        throw new Error('database away');
      },
      'database away',
    ],
  ])('UPL-1 %s is 503, with the cause in the log', async (_what, policy, cause) => {
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

  it('UPL-1 ADP-1 bad options refuse the start, with every fault by name', async () => {
    const start = createUploadApp({
      policy: { maxSizeMb: 0, allowedExtension: 'png' } as object,
      archive: { maxEntries: 0, maxRatios: 5 },
      textEncodings: ['utf-8', 'klingon'],
      maxFields: -1,
      maxFieldBytes: 0.5,
      limits: {},
    } as object);
    await expect(start).rejects.toBeInstanceOf(UploadPolicySetupError);
    await expect(start).rejects.toMatchObject({
      code: 'UPLOAD_POLICY_SETUP_INVALID',
      subject: 'upload-policy',
      faults: [
        expect.stringMatching(/^limits is not an option; the options are /),
        'archive.maxRatios is not an option; did you mean archive.maxRatio?',
        'archive.maxEntries must be a whole number of entries from 1 to 100000',
        expect.stringMatching(/^textEncodings\[1\] must be one of utf-8, utf-16, /),
        'policy.allowedExtension is not an option; did you mean policy.allowedExtensions?',
        expect.stringMatching(/^policy.maxSizeMb must be a whole number from 1/),
        'maxFields must be a whole number of fields from 0 to 100',
        'maxFieldBytes must be a whole number of bytes from 1 to 65536',
      ],
    });
    await expect(start).rejects.not.toThrow('klingon');
  });

  it('ADP-1 createFileDestination, inspectUpload and explainUpload refuse bad options', async () => {
    expect(() => createFileDestination({ folder: '', keeps: () => {} } as never)).toThrow(
      expect.objectContaining({
        code: 'UPLOAD_POLICY_SETUP_INVALID',
        subject: 'createFileDestination',
        faults: [
          'keeps is not an option; did you mean keep?',
          'folder must be the path of a folder',
          expect.stringMatching(/^keep is required: a function/),
        ],
      }),
    );
    const candidate = {
      fileName: 'a.txt',
      mediaType: 'text/plain',
      source: { size: 0, read: async () => Buffer.of() },
    };
    const limits = { archives: {}, archive: { maxRatio: 0 } } as never;
    for (const [subject, judge] of Object.entries({ inspectUpload, explainUpload })) {
      await expect(judge(candidate, UPLOAD_POLICY_DEFAULTS, limits)).rejects.toMatchObject({
        subject,
        faults: [
          'archives is not an option; did you mean archive?',
          'archive.maxRatio must be a whole number from 1 to 1032',
        ],
      });
    }
  });
});

async function count(stream: AsyncIterable<Buffer>): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return { bytes };
}
