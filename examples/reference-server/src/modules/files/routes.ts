import { uploadPolicy, uploadPolicyParameters } from '@sallyport/upload-policy';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { publicFileRoutes } from './public-file-routes.js';
import { storedFileRoutes } from './stored-file-routes.js';
import { uploadSimulationRoute } from './upload-simulation.js';

export interface FileRouteDependencies {
  readonly config: Config;
}

/**
 * Registers all routes of files. The form parser applies to this scope only: other routes accept JSON bodies (HTTP-4).
 */
export async function fileRoutes(app: App, { config }: FileRouteDependencies): Promise<void> {
  const textEncodings = config['upload.text-encodings'];
  await app.register(uploadPolicy, {
    policy: () => app.systemParameters.read(uploadPolicyParameters),
    textEncodings,
    uploaderOf,
  });
  await app.register(storedFileRoutes);
  await app.register(publicFileRoutes);
  await app.register(uploadSimulationRoute, { textEncodings });
}

/** An administrator's uploads under way are counted by the account, not by the address (UPL-10). */
function uploaderOf({ principal }: FastifyRequest): string {
  return `${principal!.audience}:${principal!.subject}`;
}
