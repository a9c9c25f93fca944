import {
  PermissionsUnavailableError,
  SessionConnectionsExceededError,
  SessionStoreUnavailableError,
  TicketInvalidError,
} from '@sallyport/auth-tokens';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import {
  UploadEmptyError,
  UploadMalformedError,
  UploadNotStoredError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
  UploadTooLargeError,
  UploadTooManyError,
  UploadTypeRefusedError,
} from '@sallyport/upload-policy';
import { MediaTypeUnsupportedError, NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, cursorPage, INSTANT, SHA256, THING_ID } from '../../http/example-values.js';
import type { DescribedAnswer, OperationTexts } from '../../http/operation-text.js';
import { ContentEncodingUnsupportedError } from '../../protection/errors.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import {
  PreconditionFailedError,
  RangeNotSatisfiableError,
  StorageFullError,
  StorageUnavailableError,
} from './errors.js';

const ownFile = {
  id: THING_ID,
  fileName: 'contract.pdf',
  extension: 'pdf',
  mediaType: 'application/pdf',
  size: 24_268,
  sha256: SHA256,
  publicPreview: false,
  createdAt: INSTANT,
};

const storedFile = { ...ownFile, createdBy: ADMINISTRATOR_ID, createdByAudience: 'admin' };

const UPLOAD = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        title: 'UploadForm',
        type: 'object',
        required: ['file'],
        additionalProperties: false,
        properties: {
          file: {
            type: 'string',
            contentMediaType: 'application/octet-stream',
            description: 'The file, in a field of any name.',
          },
          // There is no `default`, because generators of types would require the member.
          publicPreview: { type: 'string', enum: ['true', 'false'], description: 'Left out: `false`.' },
        },
      },
    },
  },
};

const content = { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } };

const requestHeaders = {
  Range: { schema: { type: 'string' }, description: 'One range of bytes, such as `bytes=0-1023`.' },
  'If-Range': { schema: { type: 'string' }, description: 'The range applies to this content only.' },
  'If-Match': { schema: { type: 'string' }, description: 'Only this content is wanted.' },
  'If-None-Match': { schema: { type: 'string' }, description: 'The content that the client has.' },
};

const text = { schema: { type: 'string' } };

const headers = { ETag: { ...text, description: 'The digest of the content.' }, 'Accept-Ranges': text };

const contentAnswers: Readonly<Record<string, DescribedAnswer>> = {
  200: { description: 'The content, as the type that was verified.', headers, content },
  206: { description: 'The requested part.', headers: { ...headers, 'Content-Range': text }, content },
  304: { description: 'The client has the current content.', headers },
};

const ANY_FILE = {
  required: true,
  content: {
    '*/*': {
      schema: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file itself.' },
    },
  },
};

/** Refusals of every upload. */
const uploadRefusals = [
  UploadEmptyError,
  UploadMalformedError,
  UploadTooLargeError,
  UploadTooManyError,
  SessionConnectionsExceededError,
  UploadTypeRefusedError,
  UploadPreviewRefusedError,
  UploadNotStoredError,
  UploadPolicyUnavailableError,
  SystemParametersUnavailableError,
  ContentEncodingUnsupportedError,
  MediaTypeUnsupportedError,
  StorageFullError,
  StorageUnavailableError,
];

/** Uploads, downloads and previews. */
export const fileOperations: OperationTexts = {
  'POST /admin/storage/files': {
    tag: 'Files',
    summary: 'Upload a file',
    description:
      'The file is listed only after it passed every check. An `Idempotency-Key` covers content, name and flag.',
    requestBody: UPLOAD,
    refusals: uploadRefusals,
    response: { data: storedFile },
  },
  'POST /app/storage/files': {
    tag: 'Files',
    summary: 'Upload a file of one’s own',
    description: 'Under the same rules as the uploads of administrators.',
    requestBody: UPLOAD,
    refusals: uploadRefusals,
    response: { data: ownFile },
  },
  'GET /app/storage/files': {
    tag: 'Files',
    summary: 'List one’s own files',
    response: { data: [ownFile], page: cursorPage },
  },
  'GET /admin/storage/files': {
    tag: 'Files',
    summary: 'List files',
    description: '`policy` is the upload policy in force; null without the permission to read parameters.',
    response: {
      data: [storedFile],
      page: cursorPage,
      policy: { maxSizeMb: 10, validationEnabled: true, allowedExtensions: 'pdf,png', allowedMimeTypes: '' },
    },
  },
  'GET /admin/storage/files/:id/content': {
    tag: 'Files',
    summary: 'Download a file',
    headers: requestHeaders,
    answers: contentAnswers,
    refusals: [
      NotFoundError,
      PreconditionFailedError,
      RangeNotSatisfiableError,
      SessionConnectionsExceededError,
      StorageUnavailableError,
    ],
  },
  'DELETE /admin/storage/files/:id': {
    tag: 'Files',
    summary: 'Delete a file',
    refusals: [NotFoundError, StorageUnavailableError],
  },
  'GET /public/storage/preview': {
    tag: 'Files',
    summary: 'Show the public preview of a file',
    description: 'A file that may not be previewed gets the answer for an unknown one.',
    headers: requestHeaders,
    answers: contentAnswers,
    refusals: [
      NotFoundError,
      PreconditionFailedError,
      RangeNotSatisfiableError,
      StorageUnavailableError,
      UploadPolicyUnavailableError,
      SystemParametersUnavailableError,
      DatabaseUnavailableError,
    ],
  },
  'GET /public/storage/download': {
    tag: 'Files',
    summary: 'Download a file that is public, or by a ticket',
    description:
      'A file that may be previewed publicly needs no ticket. Any other needs one from `POST /auth/tickets` for the purpose `storage:download` and this file. Without it, the answer for a private file and for an unknown one is the same.',
    headers: requestHeaders,
    answers: contentAnswers,
    refusals: [
      TicketInvalidError,
      NotFoundError,
      PreconditionFailedError,
      RangeNotSatisfiableError,
      StorageUnavailableError,
      UploadPolicyUnavailableError,
      SystemParametersUnavailableError,
      SessionConnectionsExceededError,
      SessionStoreUnavailableError,
      PermissionsUnavailableError,
      DatabaseUnavailableError,
    ],
  },
  'POST /admin/storage/simulate': {
    tag: 'Files',
    summary: 'Check a file against every upload rule',
    description:
      'For use before a parameter is changed; nothing is stored. The body is the file itself; its `Content-Type` is the one a client would declare in the form.',
    requestBody: ANY_FILE,
    refusals: [
      UploadEmptyError,
      UploadTooLargeError,
      UploadTooManyError,
      SessionConnectionsExceededError,
      UploadPolicyUnavailableError,
      SystemParametersUnavailableError,
      ContentEncodingUnsupportedError,
      StorageFullError,
      StorageUnavailableError,
    ],
    response: {
      data: {
        accepted: false,
        reason: 'EXTENSION_NOT_ALLOWED',
        mediaType: null,
        rules: [
          { rule: 'extension', outcome: 'refused', enforced: true, reason: 'EXTENSION_NOT_ALLOWED', detail: null },
        ],
      },
    },
  },
};
