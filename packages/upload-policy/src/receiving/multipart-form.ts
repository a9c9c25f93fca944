import type { Readable } from 'node:stream';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { UploadMalformedError, UploadPolicySetupError } from '../errors.js';
import { partsReaderOf } from '../form-parser.js';
import { stopReading, watchBodySize } from './request-body.js';

const MAX_FIELD_NAME_LENGTH = 64;

/** The maximum number of headers of a part. Clients send two: Content-Disposition and Content-Type. */
const MAX_PART_HEADERS = 8;
const MAX_PART_HEADER_BYTES = 8192;

/** A generous bound for the boundary and line ends of a part. */
const FRAMING_BYTES = 256;

/** Bounds of a form. */
export interface FormLimits {
  readonly maxFields: number;
  readonly maxFieldBytes: number;
  readonly maxFileBytes: number;
  readonly makeTooLargeError: () => Error;
}

/** The file part, to be consumed. */
export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly stream: Readable;
}

/**
 * Reads a form to its closing boundary: calls `onFile` for its one file and awaits it. Resolves to the fields.
 *
 * @throws UploadMalformedError, the too-large error, what `onFile` rejects with, and UploadPolicySetupError if
 * something has read the form already
 */
export async function readForm(
  request: FastifyRequest,
  limits: FormLimits,
  onFile: (file: FilePart) => Promise<void>,
): Promise<Record<string, string>> {
  const readParts = partsReaderOf(request);
  if (!request.isMultipart()) throw new UploadMalformedError('The body must be multipart/form-data');
  // This happens in a scope that was made before the plugin was registered and has its own @fastify/multipart with
  // `attachFieldsToBody`.
  if (request.body !== undefined && request.body !== null) {
    throw new UploadPolicySetupError('upload-policy', [
      'the form was read before receive was called, by attachFieldsToBody of @fastify/multipart or by a hook: ' +
        'remove that, or call receive in another scope',
    ]);
  }
  // The parser would wait forever for a body that broke off while the policy was read.
  if (request.raw.destroyed) throw new UploadMalformedError('The connection ended before the form was read');
  const maxBodyBytes = bodyBytesFor(limits);
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw limits.makeTooLargeError();

  const parts = readParts(parserOptions(limits));
  let next = parts.next();
  // Attached after the first call, which starts the reading.
  const isTooLarge = watchBodySize(request.raw, maxBodyBytes, limits.makeTooLargeError);
  isTooLarge.catch(() => {});
  const fields = new Map<string, string>();
  let files = 0;
  try {
    for (;;) {
      const { value: part, done } = await Promise.race([malformedIfRejected(next), isTooLarge]);
      if (done === true) break;
      if (part.type === 'field') addField(fields, part);
      else {
        files++;
        // This does not race with the size of the body, because the file must be completely written before it is
        // discarded.
        await takeFile(part, onFile);
      }
      next = parts.next();
    }
    if (files !== 1) throw new UploadMalformedError('The form must have one file');
    return Object.fromEntries(fields);
  } catch (error) {
    next.catch(() => {});
    stopReading(request.raw);
    throw error;
  }
}

/** The largest body, from the bounds of its parts and their framing. */
function bodyBytesFor({ maxFields, maxFieldBytes, maxFileBytes }: FormLimits): number {
  const partBytes = MAX_PART_HEADER_BYTES + FRAMING_BYTES;
  return maxFileBytes + partBytes + maxFields * (partBytes + maxFieldBytes) + FRAMING_BYTES;
}

function parserOptions({ maxFields, maxFieldBytes }: FormLimits) {
  return {
    // This count stops the upload at its limit. The parser's limit would read and drop the rest.
    throwFileSizeLimit: false,
    limits: {
      fileSize: Number.POSITIVE_INFINITY,
      files: 1,
      fields: maxFields,
      fieldSize: maxFieldBytes,
      parts: maxFields + 2,
      headerPairs: MAX_PART_HEADERS,
      headerSize: MAX_PART_HEADER_BYTES,
    },
  };
}

/** Errors of the parser are faults of the body, although the parser reports most of them as server errors. */
async function malformedIfRejected<T>(next: Promise<T>): Promise<T> {
  try {
    return await next;
  } catch (cause) {
    throw new UploadMalformedError(faultOf(cause), { cause });
  }
}

function faultOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'FST_FILES_LIMIT' ? 'The form has more than one file' : 'The form cannot be read to its end';
}

function addField(fields: Map<string, string>, { fieldname, value, valueTruncated }: MultipartValue): void {
  const isName = typeof fieldname === 'string' && fieldname !== '' && fieldname.length <= MAX_FIELD_NAME_LENGTH;
  if (!isName || fields.has(fieldname)) {
    throw new UploadMalformedError('A field of the form has no name, a name that is too long, or a name used before');
  }
  if (valueTruncated || typeof value !== 'string') {
    throw new UploadMalformedError('A field of the form is too long, or not a text');
  }
  fields.set(fieldname, value);
}

async function takeFile(part: MultipartFile, onFile: (file: FilePart) => Promise<void>): Promise<void> {
  const { filename, mimetype, file } = part;
  // The listener is for a file that is not read yet. Its reader also receives the error.
  file.on('error', () => {});
  const fileName = filename ?? '';
  // Code that compares the name up to the NUL would see another extension.
  if (fileName.includes('\0')) throw new UploadMalformedError('The name of the file contains a NUL');
  await onFile({ fileName, mediaType: mimetype ?? '', stream: file });
}
