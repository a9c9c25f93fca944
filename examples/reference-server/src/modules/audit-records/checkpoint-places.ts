import {
  type CheckpointLog,
  type CheckpointWriter,
  createFileCheckpoint,
  createHttpCheckpoint,
  createLogCheckpoint,
  createS3Checkpoint,
} from '@sallyport/audit-log/postgres';
import type { Config } from '../../config/config.js';

/** Timeouts of one attempt, in milliseconds. The audit log tries again. */
const CONNECT_LIMIT_MILLIS = 2000;
const ANSWER_LIMIT_MILLIS = 5000;

const ignore = () => {};
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * The places of the checkpoints: all configured ones. Without any, which production refuses, they are log lines.
 *
 * @param file a file instead of the configured one
 */
export async function checkpointPlaces(
  config: Config,
  log: CheckpointLog | null,
  file = config['audit.checkpoint-file'],
): Promise<readonly CheckpointWriter[]> {
  const places: CheckpointWriter[] = [];
  if (file !== null) places.push(createFileCheckpoint(file));
  const witness = config['audit.witness.url'];
  if (witness !== null) {
    places.push(createHttpCheckpoint({ url: witness, headers: config['audit.witness.headers'] ?? {} }));
  }
  const bucket = config['audit.bucket.name'];
  if (bucket !== null) {
    places.push(await bucketCheckpoint(config, bucket));
  }
  if (log !== null && (config['audit.checkpoint-log'] || places.length === 0)) places.push(createLogCheckpoint(log));
  return places;
}

async function bucketCheckpoint(config: Config, bucket: string): Promise<CheckpointWriter> {
  // The S3 client is large. Load it only when it is used.
  const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const endpoint = config['audit.bucket.endpoint'];
  const [accessKeyId, secretAccessKey] = [
    config['audit.bucket.access-key-id'],
    config['audit.bucket.secret-access-key'],
  ];
  const client = new S3Client({
    region: config['audit.bucket.region'],
    forcePathStyle: config['audit.bucket.path-style'],
    ...(endpoint !== null && { endpoint }),
    ...(accessKeyId !== null && secretAccessKey !== null && { credentials: { accessKeyId, secretAccessKey } }),
    // The checkpoint has a checksum of its own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECT_LIMIT_MILLIS, requestTimeout: ANSWER_LIMIT_MILLIS },
  });
  return createS3Checkpoint({ client, PutObjectCommand, bucket, retainDays: config['audit.bucket.retain-days'] });
}
