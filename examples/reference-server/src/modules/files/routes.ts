import { uploadPolicy, uploadPolicyParameters } from '@sallyport/upload-policy';
import type { App } from '../../app.js';
import { publicFileRoutes } from './public-file-routes.js';
import { storedFileRoutes } from './stored-file-routes.js';

/** The routes of files. Only in their scope is a form a body: elsewhere bodies are JSON (HTTP-4). */
export async function fileRoutes(app: App): Promise<void> {
  await app.register(uploadPolicy, { policy: () => app.systemParameters.read(uploadPolicyParameters) });
  await app.register(storedFileRoutes);
  await app.register(publicFileRoutes);
}
