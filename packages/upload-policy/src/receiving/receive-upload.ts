import { pipeline } from 'node:stream/promises';
import { hasMethods } from '@sallyport/plugin-kit/options';
import type { FastifyRequest } from 'fastify';
import {
  UploadEmptyError,
  UploadMalformedError,
  UploadNotStoredError,
  UploadPolicySetupError,
  UploadTooLargeError,
  UploadTypeRefusedError,
} from '../errors.js';
import { type AcceptedUpload, displayName, type RefusedUpload, type UploadSource } from '../files/index.js';
import { inspect, refusalByName } from '../inspection/index.js';
import type { CheckedOptions } from '../options.js';
import { BYTES_PER_MEGABYTE, type UploadPolicy } from '../policy/index.js';
import { type FilePart, readForm } from './multipart-form.js';
import { UploadMeter } from './upload-meter.js';
import type { ReceivedUpload, UploadDestination } from './upload-receiver.js';

/** A file in its temporary place. */
interface WrittenFile {
  readonly fileName: string;
  readonly mediaType: string;
  readonly source: UploadSource;
  readonly sha256: string;
}

/** Writes the file of a form to the destination, inspects it there, and commits or discards it. */
export async function receiveUpload<Stored>(
  request: FastifyRequest,
  destination: UploadDestination<Stored>,
  readPolicy: () => Promise<UploadPolicy>,
  options: CheckedOptions,
  beginUpload: (request: FastifyRequest) => () => void,
): Promise<ReceivedUpload<Stored>> {
  if (!hasMethods(destination, ['write', 'commit', 'discard'])) {
    throw new UploadPolicySetupError('upload-policy', [
      'receive takes a request and a destination with write, commit and discard, such as createFileDestination(…)',
    ]);
  }
  let end: (() => void) | undefined;
  try {
    end = beginUpload(request);
    const policy = await readPolicy();
    const { written, fields } = await writeFile(request, destination, policy, options);
    const { extension, mediaType, charset, verified } = await judge(written, policy, options);
    const fileName = displayName(written.fileName);
    const { source, sha256 } = written;
    const file = { fileName, extension, mediaType, charset, verified, size: source.size, sha256, fields };
    return { ...file, stored: await storing(() => destination.commit(file)) };
  } catch (error) {
    await destination.discard().catch((cause: unknown) => {
      request.log.error({ err: cause }, 'A refused upload could not be discarded');
    });
    throw error;
  } finally {
    // Done after the discard, because the upload may use the disk until then.
    end?.();
  }
}

/**
 * Hides a failure of the destination, which may contain names of disks and paths. Its refusals (with a `statusCode`)
 * pass.
 */
async function storing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Error && 'statusCode' in cause) throw cause;
    throw new UploadNotStoredError({ cause });
  }
}

async function writeFile(
  request: FastifyRequest,
  destination: UploadDestination<unknown>,
  policy: UploadPolicy,
  { maxFields, maxFieldBytes }: CheckedOptions,
): Promise<{ readonly written: WrittenFile; readonly fields: Readonly<Record<string, string>> }> {
  const maxFileBytes = policy.maxSizeMb * BYTES_PER_MEGABYTE;
  const makeTooLargeError = () => new UploadTooLargeError(policy.maxSizeMb);
  let written: WrittenFile | undefined;
  const fields = await readForm(
    request,
    { maxFields, maxFieldBytes, maxFileBytes, makeTooLargeError },
    async (part) => {
      // A file with a refused name is never written.
      const refusal = await refusalByName(part, policy);
      if (refusal !== null) throw refusalError(refusal, policy);
      written = await writePart(part, destination, new UploadMeter(maxFileBytes, makeTooLargeError));
    },
  );
  if (written === undefined) throw new UploadMalformedError('The form must have one file');
  return { written, fields };
}

/** Awaits both reading and writing, so that nothing is being written when `discard` is called. */
async function writePart(
  { fileName, mediaType, stream }: FilePart,
  destination: UploadDestination<unknown>,
  meter: UploadMeter,
): Promise<WrittenFile> {
  const flowing = pipeline(stream, meter);
  let destinationFault: Error | undefined;
  // Ends the reading as well. A stream without a reader would wait forever.
  function blameDestination(error: Error): never {
    if (meter.errored === null) destinationFault = error;
    meter.destroy(error);
    throw error;
  }
  const writing = storing(() => destination.write(meter))
    .then((source) => (meter.readableEnded ? source : blameDestination(wrongSize(source.size))))
    .catch(blameDestination);
  const [flowed, wrote] = await Promise.allSettled([flowing, writing]);
  if (destinationFault !== undefined) throw destinationFault;
  if (flowed.status === 'rejected') throw brokenOff(flowed.reason);
  if (wrote.status === 'rejected') throw wrote.reason;
  const kept = wrote.value;
  const { size } = kept;
  if (size !== meter.bytes) throw wrongSize(size);
  const source = { size, read: (position: number, length: number) => storing(() => kept.read(position, length)) };
  return { fileName, mediaType, source, sha256: meter.sha256() };
}

function wrongSize(bytes: number): Error {
  return new UploadNotStoredError({
    cause: new Error(`The destination kept ${bytes} bytes, which is not the received size`),
  });
}

function brokenOff(cause: unknown): Error {
  if (cause instanceof UploadTooLargeError) return cause;
  return new UploadMalformedError('The form ends within the file', { cause });
}

async function judge(written: WrittenFile, policy: UploadPolicy, limits: CheckedOptions): Promise<AcceptedUpload> {
  const verdict = await inspect(written, policy, limits);
  if (verdict.accepted) return verdict;
  throw refusalError(verdict, policy);
}

function refusalError(refusal: RefusedUpload, { maxSizeMb }: UploadPolicy): Error {
  if (refusal.reason === 'EMPTY') return new UploadEmptyError();
  if (refusal.reason === 'TOO_LARGE') return new UploadTooLargeError(maxSizeMb);
  return new UploadTypeRefusedError(refusal);
}
