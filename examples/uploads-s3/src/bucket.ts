import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import S3rver from 's3rver';

/** The bucket of `S3_BUCKET`; without it, one of a store that runs in this process and keeps its files in `folder`. */
export async function openBucket(folder: string) {
  const { S3_BUCKET, S3_ENDPOINT: endpoint, S3_REGION: region = 'us-east-1' } = process.env;
  // Many S3-compatible stores reject the checksums that the client adds by default.
  const options: S3ClientConfig = { region, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' };
  if (S3_BUCKET !== undefined) {
    const client = new S3Client({ ...options, ...(endpoint !== undefined && { endpoint }) });
    return { name: S3_BUCKET, client, close: async () => client.destroy() };
  }
  const configureBuckets = [{ name: 'files' }];
  const store = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: folder, configureBuckets });
  const { port } = await store.run();
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const client = new S3Client({ ...options, endpoint: `http://127.0.0.1:${port}`, credentials });
  return { name: 'files', client, close: () => store.close() };
}
