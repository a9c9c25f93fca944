import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Disk } from 'flydrive';
import { S3Driver } from 'flydrive/drivers/s3';
import { asRefusal } from './errors.js';
import type { ByteRange, FileDisk } from './file-disk.js';
import { openReceivedFiles } from './received-files.js';

export interface S3DiskOptions {
  readonly bucket: string;
  readonly region: string;
  /** Null: Amazon S3. */
  readonly endpoint: string | null;
  readonly pathStyle: boolean;
  /** Null: the credentials that the environment of the process provides. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** The folder for received contents: S3 needs the length of a content before the upload starts. */
  readonly folder: string;
}

/** Timeout for connecting to the store, in milliseconds. A refusal must reach the client within 2 s. */
const CONNECT_LIMIT_MILLIS = 1800;

/** Timeout for a connection without traffic, in milliseconds. */
const IDLE_LIMIT_MILLIS = 10_000;

/** A key that no content has. A working store answers that it does not exist. */
const HEALTH_KEY = 'health';

const ignore = () => {};
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Stores contents in a bucket of an S3-compatible store. */
export async function openS3Disk(options: S3DiskOptions): Promise<FileDisk> {
  const { bucket, folder } = options;
  const received = await openReceivedFiles(folder);
  const client = new S3Client(clientConfig(options));
  // Objects are private and need no access lists, which many stores don't support.
  const disk = new Disk(new S3Driver({ client, bucket, visibility: 'private', supportsACL: false }));
  return {
    ...received,
    name: `S3 bucket ${bucket}`,

    async publish(key) {
      const path = received.pathOf(key);
      const { size } = await asRefusal(stat(path));
      const content = createReadStream(path);
      try {
        await asRefusal(disk.putStream(key, content, { contentLength: size, contentType: 'application/octet-stream' }));
      } finally {
        content.destroy();
      }
      await received.drop(key);
    },

    async read(key, { first, last }: ByteRange) {
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=${first}-${last}` });
      const { Body } = await asRefusal(client.send(command));
      return Body as Readable;
    },

    async check() {
      await received.check();
      const command = new HeadObjectCommand({ Bucket: bucket, Key: HEALTH_KEY });
      await asRefusal(client.send(command).catch(refuseUnanswered));
    },

    remove: (key) => asRefusal(disk.delete(key)),
    close: () => client.destroy(),
  };
}

/** 404 is an answer. So is 403, which a store sends instead of 404 to clients that may not list the bucket. */
function refuseUnanswered(error: { readonly $metadata?: { readonly httpStatusCode?: number } }): void {
  const status = error.$metadata?.httpStatusCode;
  if (status !== 404 && status !== 403) throw error;
}

function clientConfig({ region, endpoint, pathStyle, credentials }: S3DiskOptions): S3ClientConfig {
  return {
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
    // Many S3-compatible stores reject the checksums that the client adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // By default the client logs to the console. Errors are logged with the request.
    logger: SILENT,
    // Retries are left to our client, which is waiting for the answer.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_LIMIT_MILLIS, socketTimeout: IDLE_LIMIT_MILLIS },
  };
}
