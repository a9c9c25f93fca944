import { createMemorySource, createSystemParameters, defineParameterTable } from '@sallyport/system-parameters';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ACTIVE_EXTENSIONS,
  extensionListFault,
  inspectUpload,
  mediaTypeListFault,
  previewListFault,
  UPLOAD_POLICY_DEFAULTS,
  type UploadPolicy,
  uploadPolicyFaults,
  uploadPolicyParameters,
} from '../src/index.js';
import { sourceOf } from './memory-source.js';

describe('uploadPolicyParameters', () => {
  it('UPL-1 has the keys, types and defaults of the interface document', () => {
    const rows = Object.values(uploadPolicyParameters).map(({ key, type, default: value }) => [key, type, value]);
    expect(rows).toEqual([
      ['admin.storage.upload.max-size-mb', 'LONG', 10],
      ['admin.storage.upload.validation.enabled', 'BOOLEAN', true],
      ['admin.storage.upload.allowed-extensions', 'STRING', 'jpg,jpeg,png,gif,webp,pdf,txt,csv,doc,docx,xls,xlsx,zip'],
      ['admin.storage.upload.allowed-mime-types', 'STRING', expect.stringMatching(/^image\/jpeg,.*application\/zip/)],
      ['admin.storage.upload.public-preview.enabled', 'BOOLEAN', true],
      ['admin.storage.upload.public-preview.allowed-extensions', 'STRING', 'jpg,jpeg,png,webp'],
    ]);
  });

  it('UPL-1 derives each property name from the tail of its key', () => {
    for (const [name, { key }] of Object.entries(uploadPolicyParameters)) {
      const tail = key.slice('admin.storage.upload.'.length);
      expect(tail.replaceAll(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase())).toBe(name);
    }
  });

  it('UPL-1 is a table for system-parameters, whose values are a policy', async () => {
    const table = defineParameterTable({ definitions: uploadPolicyParameters });
    const parameters = createSystemParameters({ tables: [table], source: createMemorySource() });
    onTestFinished(() => parameters.close());
    await parameters.start();
    const policy: UploadPolicy = await parameters.read(uploadPolicyParameters);
    expect(policy).toEqual(UPLOAD_POLICY_DEFAULTS);
    expect(uploadPolicyFaults(policy)).toEqual([]);
  });

  it('UPL-1 a stored value that cannot be used allows nothing and protects', () => {
    const { validationEnabled, publicPreviewEnabled, ...rest } = uploadPolicyParameters;
    expect([validationEnabled.fallback, publicPreviewEnabled.fallback]).toEqual([true, false]);
    const { allowedExtensions, allowedMimeTypes, publicPreviewAllowedExtensions } = rest;
    const lists = [allowedExtensions, allowedMimeTypes, publicPreviewAllowedExtensions];
    expect(lists.map(({ fallback }) => fallback)).toEqual(['', '', '']);
  });
});

describe('lists', () => {
  it('UPL-3 UP-17 are trimmed and folded, and may have leading dots and gaps', async () => {
    expect(extensionListFault(' .JPG , png ,, ')).toBeNull();
    const verdict = (allowedExtensions: string, extension: string) =>
      inspectUpload(
        { fileName: `a.${extension}`, mediaType: 'text/plain', source: sourceOf(Buffer.from('text')) },
        { ...UPLOAD_POLICY_DEFAULTS, allowedExtensions },
      );
    expect((await verdict(' .TXT , png ,, ', 'tXt')).accepted).toBe(true);
    expect(await verdict('', 'txt')).toMatchObject({ accepted: false, reason: 'EXTENSION_NOT_ALLOWED' });
    expect(await verdict(' , ', 'txt')).toMatchObject({ accepted: false, reason: 'EXTENSION_NOT_ALLOWED' });
    // The long s, whose upper case is S.
    expect(await verdict('txs', 'tx\u017f')).toMatchObject({ accepted: false });
  });

  it.each([
    ['*', 'entry 1 is a pattern'],
    [' .JPG , png ,, *', 'entry 3 is a pattern'],
    ['jpg;png', 'entry 1 contains a separator other than the comma'],
    ['jpg png', 'entry 1 contains a separator'],
    ['tar.gz', 'entry 1 is not an extension'],
    ['jpég', 'entry 1 is not an extension'],
    ['a,..', 'entry 2 is not an extension'],
    ['x'.repeat(17), 'entry 1 is not an extension'],
    ['x,'.repeat(5000), 'longer than 8192 characters'],
  ])('UPL-3 UP-17 the extensions %s: refused when written, and the fault names the entry', (text, fault) => {
    expect(extensionListFault(text)).toContain(fault);
    expect(previewListFault(text)).toContain(fault);
    expect(uploadPolicyFaults({ ...UPLOAD_POLICY_DEFAULTS, allowedExtensions: text }).join()).toContain(
      'policy.allowedExtensions must be',
    );
  });

  it('UPL-3 of media types refuse patterns, parameters and other texts', () => {
    expect(mediaTypeListFault(' Image/JPEG ,, application/vnd.ms-excel')).toBeNull();
    expect(mediaTypeListFault('')).toBeNull();
    for (const text of ['*/*', 'image/*', 'image', 'text/plain; charset=utf-8', 'image/jpeg;image/png', 'a/b/c']) {
      expect(mediaTypeListFault(text)).toContain('entry 1');
    }
  });

  it('UPL-5 UP-18 for previews refuse active content and text when written; those for uploads do not', () => {
    for (const extension of [
      'html',
      'HTM',
      '.svg',
      'js',
      'mjs',
      'xml',
      'xhtml',
      'mhtml',
      'swf',
      'txt',
      'csv',
      'json',
    ]) {
      expect(previewListFault(`jpg,${extension}`)).toContain('entry 2 is');
      expect(extensionListFault(`jpg,${extension}`)).toBeNull();
    }
    expect(previewListFault([...ACTIVE_EXTENSIONS].join())).toContain(
      `entry ${ACTIVE_EXTENSIONS.size} is active content`,
    );
    expect(previewListFault('gif,pdf')).toBeNull();
  });
});

describe('uploadPolicyFaults', () => {
  it('UPL-1 UP-17 names every fault of every value', () => {
    const faults = uploadPolicyFaults({
      maxSizeMb: 0,
      validationEnabled: 'yes',
      allowedExtensions: '*',
      allowedMimeTypes: 7,
      publicPreviewAllowedExtensions: 'svg',
    });
    expect(faults.map((fault) => fault.split(' ', 1)[0])).toEqual([
      'policy.maxSizeMb',
      'policy.validationEnabled',
      'policy.allowedExtensions',
      'policy.allowedMimeTypes',
      'policy.publicPreviewEnabled',
      'policy.publicPreviewAllowedExtensions',
    ]);
    for (const maxSizeMb of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40, '10']) {
      expect(uploadPolicyFaults({ ...UPLOAD_POLICY_DEFAULTS, maxSizeMb })).toHaveLength(1);
    }
    expect(uploadPolicyFaults(null)).toEqual(['policy must be an object']);
  });
});
