import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { Disk } from 'flydrive';
import { S3Driver } from 'flydrive/drivers/s3';
import type { ByteRange, FileDisk } from './file-disk.js';
import { openReceivedFiles } from './received-files.js';
import { asRefusal } from './storage-errors.js';

export interface S3DiskOptions {
  readonly bucket: string;
  readonly region: string;
  /** Null: Amazon S3. */
  readonly endpoint: string | null;
  readonly pathStyle: boolean;
  /** Null: what the machine provides. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Where contents come in: a bucket takes only what has its length told beforehand. */
  readonly folder: string;
}

/** How long a connection to the store may take, in milliseconds: a refusal has to come within 2 s. */
const CONNECT_LIMIT_MILLIS = 1800;

/** How long nothing may move on a connection, in milliseconds. */
const IDLE_LIMIT_MILLIS = 10_000;

/** No content has this key. Asked for it, a store that can be used says that there is nothing. */
const HEALTH_KEY = 'health';

const ignore = () => {};
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Contents in a bucket of an S3-compatible store. */
export async function openS3Disk(options: S3DiskOptions): Promise<FileDisk> {
  const { bucket, folder } = options;
  const received = await openReceivedFiles(folder);
  const client = new S3Client(clientConfig(options));
  // Nothing in the bucket is for the public, so objects get no access lists; many stores know none.
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

/** 404 is an answer; so is 403, which a store gives in its place to whoever may not list the bucket. */
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
    // Stores other than Amazon's often refuse the checksums that the client would add by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Without one it writes to the console; what goes wrong here is logged with the request.
    logger: SILENT,
    // The client of ours waits, and can come again.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_LIMIT_MILLIS, socketTimeout: IDLE_LIMIT_MILLIS },
  };
}
