import { describe, expect, it } from 'vitest';
import { UPLOAD_POLICY_DEFAULTS, type UploadPolicy } from '../src/index.js';
import { policyRule } from '../src/policy/index.js';
import { multipartBody, multipartHeaders } from './multipart-body.js';
import { createUploadApp } from './upload-app.js';

const typesOf = (policy: Partial<UploadPolicy>) => policyRule.read(policy).allowedMimeTypes.split(',');

describe('the media types of a policy that names none', () => {
  it.each([
    ['md', 'text/markdown', '# title'],
    ['.JSON', 'application/json', '{}'],
    ['svg', 'image/svg+xml', '<svg/>'],
    ['xml', 'text/xml', '<a/>'],
    ['html', 'text/html', '<p>'],
    ['csv', 'application/vnd.ms-excel', 'a,b'],
    ['toml', 'application/octet-stream', 'a = 1'],
    ['jpg, mp4', 'video/mp4', Buffer.from('000000186674797069736f6d00000200', 'hex')],
  ])('UPL-3 ADP-10 with the extensions %s: a file of %s passes', async (allowedExtensions, mediaType, bytes) => {
    const { app } = await createUploadApp({ policy: { allowedExtensions } });
    const extension = allowedExtensions.split(/[ .]+/).at(-1)!;
    const body = multipartBody([{ fileName: `a.${extension}`, mediaType, bytes }]);
    const answer = await app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body });
    expect(answer.json()).toMatchObject({ verified: true, extension: extension.toLowerCase() });
    const other = multipartBody([{ fileName: `a.${extension}`, mediaType: 'application/x-other', bytes }]);
    const refusal = await app.inject({ method: 'POST', url: '/files', headers: multipartHeaders, body: other });
    expect(refusal.json().message).toMatch(/\(MEDIA_TYPE_NOT_ALLOWED\)$/);
  });

  it('UPL-3 are those of the extensions, in every list', () => {
    const presentation = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
    expect(typesOf({ allowedExtensions: 'pptx' })).toEqual([presentation]);
    expect(typesOf({ allowedExtensions: 'jpg, JPEG,, .png' })).toEqual(['image/jpeg', 'image/png']);
    const common = typesOf({ allowedExtensions: UPLOAD_POLICY_DEFAULTS.allowedExtensions });
    expect(common).toEqual(expect.arrayContaining(UPLOAD_POLICY_DEFAULTS.allowedMimeTypes.split(',')));
  });

  it('UPL-1 UPL-3 are the parameters’ default without extensions, and never replace types that were given', () => {
    expect(policyRule.read({ maxSizeMb: 5 })).toEqual({ ...UPLOAD_POLICY_DEFAULTS, maxSizeMb: 5 });
    expect(typesOf({ allowedExtensions: 'md', allowedMimeTypes: 'text/x-own' })).toEqual(['text/x-own']);
    expect(typesOf({ allowedExtensions: 'md', allowedMimeTypes: '' })).toEqual(['']);
  });

  it('UPL-3 ADP-10 refuse the start where they are not known, naming extensions and option', async () => {
    const start = createUploadApp({ policy: { allowedExtensions: 'jpg,dwg,foo' } });
    await expect(start).rejects.toMatchObject({
      code: 'UPLOAD_POLICY_SETUP_INVALID',
      faults: [
        'policy.allowedMimeTypes is required: the media types of dwg, foo in policy.allowedExtensions are not known. ' +
          'List those that clients name for all your extensions',
      ],
    });
    const named = { allowedExtensions: 'jpg,dwg', allowedMimeTypes: 'image/jpeg,image/vnd.dwg' };
    await expect(createUploadApp({ policy: named })).resolves.toBeDefined();
  });
});

describe('the options', () => {
  it('ADP-10 ADP-1 beside `policy` are told their place, and an array for a list an example', async () => {
    const start = createUploadApp({
      maxSizeMb: 5,
      maxEntry: 5,
      policy: {
        allowedExtensions: ['jpg', 'png'],
        allowedMimeTypes: ['image/png'],
        publicPreviewAllowedExtensions: [],
      },
    } as never);
    await expect(start).rejects.toMatchObject({
      faults: [
        'maxSizeMb is not an option; did you mean policy.maxSizeMb?',
        'maxEntry is not an option; did you mean archive.maxEntries?',
        'policy.allowedExtensions must be one text with commas, such as "jpg, png, pdf"',
        'policy.allowedMimeTypes must be one text with commas, such as "image/jpeg, application/pdf"',
        'policy.publicPreviewAllowedExtensions must be one text with commas, such as "jpg, png"',
      ],
    });
  });
});
