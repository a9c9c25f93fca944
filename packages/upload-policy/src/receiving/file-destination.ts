import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callback, option, readOptions } from '@sallyport/plugin-kit/options';
import { UploadPolicySetupError } from '../errors.js';
import type { UploadSource } from '../files/index.js';
import type { ReceivedFile, UploadDestination } from './upload-receiver.js';

/** Mode of the file: readable only by the user that runs the server. */
const OWNER_ONLY = 0o600;

/** Options of {@link createFileDestination}. */
export interface FileDestinationOptions<Stored> {
  /** The folder of the temporary file. It must exist, and nothing in it may be served. Required. */
  readonly folder: string;
  /**
   * Makes the file visible: moves `path` within its file system, or reads it to its end. A file that `keep` leaves at
   * `path` is removed afterwards. Required.
   */
  keep(file: ReceivedFile, path: string): Promise<Stored>;
}

/** The fault of a destination that two uploads share. */
export const ONE_UPLOAD = 'a destination takes one upload; make it in the handler, for each request';

/** The suffix of temporary files, by which leftovers of a crash can be found and deleted. */
export const TEMPORARY_SUFFIX = '.upload-part';

const rules = {
  folder: option<string>({
    meaning: 'the path of a folder',
    accepts: (value) => typeof value === 'string' && value !== '',
  }),
  keep: callback<FileDestinationOptions<never>['keep']>({ that: 'takes a file and its path and stores the file' }),
};

/**
 * A destination for one upload, with its temporary file in a folder. Make it in the handler. A second `write` during an
 * upload rejects with UploadPolicySetupError.
 *
 * @example
 * ```ts
 * app.post('/files', { schema: { response: { '4xx': uploadRefusalSchema } } }, async (request, reply) => {
 *   const id = randomUUID();
 *   const destination = createFileDestination({ folder, keep: (_file, path) => rename(path, join(folder, id)) });
 *   const { fileName, mediaType, size } = await app.uploadPolicy.receive(request, destination);
 *   return reply.code(201).send({ id, fileName, mediaType, size });
 * });
 * ```
 */
export function createFileDestination<Stored>(options: FileDestinationOptions<Stored>): UploadDestination<Stored> {
  const { folder, keep } = readOptions<FileDestinationOptions<Stored>>(
    { subject: 'createFileDestination', SetupError: UploadPolicySetupError },
    options,
    rules,
  );
  const path = join(folder, `${randomUUID()}${TEMPORARY_SUFFIX}`);
  let handle: FileHandle | null = null;
  let isTaken = false;
  /** The number of refused writes. Each is followed by a discard, which must not touch the file of the first upload. */
  let refusedWrites = 0;

  async function close(): Promise<void> {
    const closing = handle;
    handle = null;
    await closing?.close();
  }

  async function discard(): Promise<void> {
    if (refusedWrites > 0) {
      refusedWrites--;
      return;
    }
    try {
      await close();
    } finally {
      await rm(path, { force: true });
      isTaken = false;
    }
  }

  return {
    async write(stream: Readable): Promise<UploadSource> {
      if (isTaken) {
        refusedWrites++;
        throw new UploadPolicySetupError('createFileDestination', [ONE_UPLOAD]);
      }
      isTaken = true;
      const file = createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY });
      try {
        await pipeline(stream, file);
      } finally {
        await closed(file);
      }
      const opened = await open(path, 'r');
      handle = opened;
      const { size } = await opened.stat();
      return { size, read: (position, length) => readFrom(opened, position, length) };
    },
    async commit(file) {
      await close();
      const stored = await keep(file, path);
      await rm(path, { force: true });
      isTaken = false;
      return stored;
    },
    discard,
  };
}

/**
 * If a stream breaks off, the pipeline may reject while the file is still being opened. If the file were removed before
 * that, it would appear afterwards, and stay.
 */
async function closed(file: WriteStream): Promise<void> {
  file.destroy();
  if (!file.closed) await new Promise<void>((resolve) => file.once('close', resolve));
}

async function readFrom(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
