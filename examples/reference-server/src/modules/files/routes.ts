import { uploadPolicy, uploadPolicyParameters } from '@sallyport/upload-policy';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { ownFileRoutes } from './own-file-routes.js';
import { publicFileRoutes } from './public-file-routes.js';
import type { UploadDependencies } from './receive-file.js';
import { storedFileRoutes } from './stored-file-routes.js';
import { uploadSimulationRoute } from './upload-simulation.js';

export interface FileRouteDependencies extends UploadDependencies {
  readonly config: Config;
}

/**
 * Registers all routes of files. The form parser applies to this scope only: other routes accept JSON bodies (HTTP-4).
 */
export async function fileRoutes(app: App, { config, changes }: FileRouteDependencies): Promise<void> {
  const textEncodings = config['upload.text-encodings'];
  await app.register(uploadPolicy, {
    scope: 'encapsulated',
    policy: () => app.systemParameters.read(uploadPolicyParameters),
    textEncodings,
    uploaderOf,
  });
  await app.register(storedFileRoutes, { changes });
  await app.register(ownFileRoutes, { changes });
  await app.register(publicFileRoutes);
  await app.register(uploadSimulationRoute, { textEncodings });
}

/** Uploads under way are counted by the account, not by the address (UPL-10). */
function uploaderOf({ principal }: FastifyRequest): string {
  return `${principal!.audience}:${principal!.subject}`;
}
