import { createHash } from 'node:crypto';
import { callback, objectWith, oneOf, option, readOptions, text, wholeNumber } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';
import type { CheckpointWriter } from './checkpoint-delivery.js';

/** The input of `PutObjectCommand`. */
export interface CheckpointObject {
  readonly Bucket: string;
  readonly Key: string;
  readonly Body: Uint8Array;
  readonly ContentType: string;
  readonly ChecksumSHA256: string;
  readonly ObjectLockMode: 'COMPLIANCE' | 'GOVERNANCE';
  readonly ObjectLockRetainUntilDate: Date;
}

export interface S3CheckpointOptions {
  /** A client of `@aws-sdk/client-s3`. This package never closes it. Required. */
  readonly client: { send(command: never): Promise<unknown> };
  /** `PutObjectCommand` of `@aws-sdk/client-s3`, so that this package needs no dependency. Required. */
  readonly PutObjectCommand: new (
    input: CheckpointObject,
  ) => unknown;
  /** A bucket with object lock. Required. */
  readonly bucket: string;
  /** The prefix of the keys of the objects. Default `audit-checkpoints/`. */
  readonly prefix?: string;
  /** The time for which objects can't be deleted or replaced, in days, 1 to 36 500. Default 365. */
  readonly retainDays?: number;
  /**
   * `COMPLIANCE`: that time can't be shortened. `GOVERNANCE`: users with a permission can shorten it. Default
   * `COMPLIANCE`.
   */
  readonly mode?: 'COMPLIANCE' | 'GOVERNANCE';
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

export const S3_CHECKPOINT_DEFAULTS = {
  prefix: 'audit-checkpoints/',
  retainDays: 365,
  mode: 'COMPLIANCE',
  now: Date.now,
} as const;

const DAY_MILLIS = 86_400_000;

const rules = {
  client: objectWith<S3CheckpointOptions['client']>({ methods: ['send'], meaning: 'a client of @aws-sdk/client-s3' }),
  PutObjectCommand: option<S3CheckpointOptions['PutObjectCommand']>({
    meaning: 'PutObjectCommand of @aws-sdk/client-s3',
    accepts: (value) => typeof value === 'function',
  }),
  bucket: text({ maxLength: 255, what: 'the name of a bucket' }),
  prefix: text({ minLength: 0, maxLength: 512, what: 'a prefix of keys', default: S3_CHECKPOINT_DEFAULTS.prefix }),
  retainDays: wholeNumber({ min: 1, max: 36_500, unit: 'days', default: S3_CHECKPOINT_DEFAULTS.retainDays }),
  mode: oneOf<'COMPLIANCE' | 'GOVERNANCE'>(['COMPLIANCE', 'GOVERNANCE'], { default: S3_CHECKPOINT_DEFAULTS.mode }),
  now: callback<() => number>({
    that: 'returns milliseconds since 1970, such as Date.now',
    default: S3_CHECKPOINT_DEFAULTS.now,
  }),
};

/**
 * Stores each checkpoint as an object under object lock. It can't be deleted or replaced for `retainDays`, not even
 * with the credentials of this process. The keys sort by sequence.
 *
 * @example
 * ```ts
 * const client = new S3Client({ region: 'eu-central-1' });
 * const headers = { authorization: 'Bearer of-the-witness' };
 *
 * export const checkpoint = [
 *   createHttpCheckpoint({ url: 'https://witness.example.com/checkpoints', headers }),
 *   createS3Checkpoint({ client, PutObjectCommand, bucket: 'audit-checkpoints' }),
 *   createLogCheckpoint(console),
 * ];
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createS3Checkpoint(options: S3CheckpointOptions): CheckpointWriter {
  const owner = { subject: 'createS3Checkpoint', SetupError: AuditSetupError };
  const { client, PutObjectCommand, bucket, prefix, retainDays, mode, now } = readOptions<
    Required<S3CheckpointOptions>
  >(owner, options, rules);

  const write: CheckpointWriter = async ({ note, sequence }) => {
    const body = Buffer.from(note);
    const digest = createHash('sha256').update(body).digest();
    const command = new PutObjectCommand({
      Bucket: bucket,
      // Two checkpoints of the same sequence are two objects, so neither replaces the other.
      Key: `${prefix}${String(sequence).padStart(16, '0')}-${digest.toString('hex').slice(0, 16)}`,
      Body: body,
      ContentType: 'text/plain; charset=utf-8',
      // Object lock requires a checksum.
      ChecksumSHA256: digest.toString('base64'),
      ObjectLockMode: mode,
      ObjectLockRetainUntilDate: new Date(now() + retainDays * DAY_MILLIS),
    });
    await client.send(command as never);
  };
  return Object.assign(write, { destination: `S3 bucket ${bucket}` });
}
