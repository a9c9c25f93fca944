import { PermissionsUnavailableError, SessionStoreUnavailableError, TicketInvalidError } from '@sallyport/auth-tokens';
import {
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyProcessingError,
  IdempotencySubmittedError,
} from '@sallyport/idempotency';
import { SystemParametersUnavailableError } from '@sallyport/system-parameters';
import {
  UploadEmptyError,
  UploadMalformedError,
  UploadNotStoredError,
  UploadPolicyUnavailableError,
  UploadPreviewRefusedError,
  UploadTooLargeError,
  UploadTypeRefusedError,
} from '@sallyport/upload-policy';
import { MediaTypeUnsupportedError, NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, INSTANT, page, SHA256, THING_ID } from '../../http/example-values.js';
import type { DescribedAnswer, OperationTexts } from '../../http/operation-text.js';
import { DatabaseUnavailableError } from '../../storage/errors.js';
import { RangeNotSatisfiableError, StorageFullError, StorageUnavailableError } from './errors.js';

const storedFile = {
  id: THING_ID,
  fileName: 'contract.pdf',
  extension: 'pdf',
  mediaType: 'application/pdf',
  size: 24_268,
  sha256: SHA256,
  publicPreview: false,
  createdBy: ADMINISTRATOR_ID,
  createdAt: INSTANT,
};

const UPLOAD = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        additionalProperties: false,
        properties: {
          file: {
            type: 'string',
            contentMediaType: 'application/octet-stream',
            description: 'The one file, under any name.',
          },
          publicPreview: { type: 'string', enum: ['true', 'false'], default: 'false' },
        },
      },
    },
  },
};

const content = { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } };

const requestHeaders = {
  Range: { schema: { type: 'string' }, description: 'One range of bytes, such as `bytes=0-1023`.' },
  'If-Range': { schema: { type: 'string' }, description: 'The range is meant of this content only.' },
  'If-None-Match': { schema: { type: 'string' }, description: 'The content is known already.' },
};

const text = { schema: { type: 'string' } };

const headers = { ETag: { ...text, description: 'The digest of the content.' }, 'Accept-Ranges': text };

const contentAnswers: Readonly<Record<string, DescribedAnswer>> = {
  200: { description: 'The content, as the type that was verified.', headers, content },
  206: { description: 'The part that was asked for.', headers: { ...headers, 'Content-Range': text }, content },
  304: { description: 'The content is the one that is known.', headers },
};

const ANY_FILE = {
  required: true,
  content: {
    '*/*': {
      schema: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file itself.' },
    },
  },
};

/** Contents that are kept. */
export const fileOperations: OperationTexts = {
  'POST /admin/storage/files': {
    tag: 'Files',
    summary: 'Upload a file',
    description:
      'Read once, judged, and only then listed. Under an `Idempotency-Key` the same upload again is 409 `IDEMPOTENCY_SUBMITTED`.',
    headers: {
      'Idempotency-Key': { schema: { type: 'string', format: 'uuid' }, description: 'Of content, name and flag.' },
    },
    requestBody: UPLOAD,
    refusals: [
      UploadEmptyError,
      UploadMalformedError,
      UploadTooLargeError,
      UploadTypeRefusedError,
      UploadPreviewRefusedError,
      UploadNotStoredError,
      UploadPolicyUnavailableError,
      SystemParametersUnavailableError,
      MediaTypeUnsupportedError,
      IdempotencyKeyInvalidError,
      IdempotencyProcessingError,
      IdempotencySubmittedError,
      IdempotencyDigestMismatchError,
      StorageFullError,
      StorageUnavailableError,
    ],
    response: { data: storedFile },
  },
  'GET /admin/storage/files': {
    tag: 'Files',
    summary: 'List files',
    response: { data: [storedFile], page },
  },
  'GET /admin/storage/files/:id/content': {
    tag: 'Files',
    summary: 'Download a file',
    headers: requestHeaders,
    answers: contentAnswers,
    refusals: [NotFoundError, RangeNotSatisfiableError, StorageUnavailableError],
  },
  'DELETE /admin/storage/files/:id': {
    tag: 'Files',
    summary: 'Delete a file',
    refusals: [NotFoundError, StorageUnavailableError],
  },
  'GET /public/storage/preview': {
    tag: 'Files',
    summary: 'Show the public preview of a file',
    description: 'What may not be previewed looks like what isn’t there.',
    headers: requestHeaders,
    answers: contentAnswers,
    refusals: [
      NotFoundError,
      RangeNotSatisfiableError,
      StorageUnavailableError,
      UploadPolicyUnavailableError,
      SystemParametersUnavailableError,
      DatabaseUnavailableError,
    ],
  },
  'GET /public/storage/download': {
    tag: 'Files',
    summary: 'Download a file by a ticket',
    description: 'The ticket is of `POST /auth/tickets`, for the purpose `storage:download` and this file.',
    headers: requestHeaders,
    answers: contentAnswers,
    refusals: [
      TicketInvalidError,
      NotFoundError,
      RangeNotSatisfiableError,
      StorageUnavailableError,
      SessionStoreUnavailableError,
      PermissionsUnavailableError,
      DatabaseUnavailableError,
    ],
  },
  'POST /admin/storage/simulate': {
    tag: 'Files',
    summary: 'See what every rule says of a file',
    description:
      'Before a parameter is changed; nothing is stored. The body is the file itself, its `Content-Type` what a client would name in the form.',
    requestBody: ANY_FILE,
    refusals: [
      UploadEmptyError,
      UploadTooLargeError,
      UploadPolicyUnavailableError,
      SystemParametersUnavailableError,
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
