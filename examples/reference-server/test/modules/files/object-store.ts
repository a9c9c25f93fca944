import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** An S3-compatible store on its own port, and the settings that name it. */
export interface ObjectStore {
  readonly environment: Readonly<Record<string, string>>;
  /** The keys in the bucket. */
  keys(): Promise<string[]>;
  /** Ends the service; the bucket keeps its contents. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const BUCKET = 'files';

export async function openObjectStore(): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-bucket-'));
  const run = async (port: number) => {
    const options = { address: '127.0.0.1', port, silent: true, directory, configureBuckets: [{ name: BUCKET }] };
    const started = new S3rver(options);
    return { service: started, ...(await started.run()) };
  };
  const { service: first, port } = await run(0);
  let service: S3rver | null = first;
  const stop = async () => {
    await service?.close();
    service = null;
  };
  return {
    environment: {
      SERVICE_STORAGE_S3_BUCKET: BUCKET,
      SERVICE_STORAGE_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      SERVICE_STORAGE_S3_PATH_STYLE: 'true',
      // The only account of this store.
      SERVICE_STORAGE_S3_ACCESS_KEY_ID: 'S3RVER',
      SERVICE_STORAGE_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async keys() {
      const names = await readdir(join(directory, BUCKET), { recursive: true });
      return names
        .filter((name) => name.endsWith('._S3rver_object'))
        .map((name) => name.replace('._S3rver_object', ''));
    },
    stop,
    async restart() {
      ({ service } = await run(port));
    },
    async close() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
