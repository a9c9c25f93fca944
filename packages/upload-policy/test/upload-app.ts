import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import uploadPolicy, {
  createFileDestination,
  type ReceivedFile,
  type UploadDestination,
  type UploadPolicyOptions,
} from '../src/index.js';

export interface UploadApp {
  readonly app: FastifyInstance;
  /** The names of all files in the folder, temporary ones included. */
  left(): string[];
  readonly stored: ReceivedFile[];
  readonly logged: string[];
}

/** An application that stores uploads in a folder, under names of its own. */
export async function createUploadApp(
  options: UploadPolicyOptions = {},
  wrap: (destination: UploadDestination<string>) => UploadDestination<string> = (destination) => destination,
): Promise<UploadApp> {
  const folder = mkdtempSync(join(tmpdir(), 'upload-policy-'));
  const logged: string[] = [];
  const stored: ReceivedFile[] = [];
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } } });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await app.register(uploadPolicy, options);
  app.post('/files', async (request) => {
    const keep = async (file: ReceivedFile, path: string) => {
      const name = `stored-${stored.push(file)}`;
      await rename(path, join(folder, name));
      return name;
    };
    return app.uploadPolicy.receive(request, wrap(createFileDestination({ folder, keep })));
  });
  return { app, left: () => readdirSync(folder).toSorted(), stored, logged };
}
