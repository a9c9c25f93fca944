import { uploadPolicy, uploadPolicyParameters } from '@sallyport/upload-policy';
import type { App } from '../../http/module.js';
import { publicFileRoutes } from './public-file-routes.js';
import { storedFileRoutes } from './stored-file-routes.js';
import { uploadSimulationRoute } from './upload-simulation.js';

/** Registers all routes of files. */
export async function fileRoutes(app: App): Promise<void> {
  await app.register(keptFileRoutes);
  await app.register(uploadSimulationRoute);
}

/** The form parser applies to this scope only: other routes accept JSON bodies (HTTP-4). */
async function keptFileRoutes(app: App): Promise<void> {
  await app.register(uploadPolicy, { policy: () => app.systemParameters.read(uploadPolicyParameters) });
  await app.register(storedFileRoutes);
  await app.register(publicFileRoutes);
}
