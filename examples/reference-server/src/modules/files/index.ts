import { defineModule } from '../../http/module.js';
import type { Resources } from '../../storage/resources.js';
import { fileOperations } from './docs.js';
import { type FileStorageOptions, fileStorage } from './file-storage.js';
import { uploadPolicyParameterTable } from './parameters.js';
import { fileRoutes } from './routes.js';

export const files = defineModule({
  name: 'files',
  permissions: [
    'api:admin:storage:upload',
    'api:admin:storage:simulate',
    'api:admin:storage:list',
    'api:admin:storage:read',
    'api:admin:storage:delete',
    'api:admin:storage:download',
  ],
  parameters: [uploadPolicyParameterTable],
  ticketPurposes: {
    /** One stored file, by its id: `GET /public/storage/download`. */
    'storage:download': 'api:admin:storage:download',
  },
  async prepare(app, { config, resources }: Pick<FileStorageOptions, 'config'> & { resources: Resources }) {
    await app.register(fileStorage, { config, database: resources.database });
  },
  tags: { Files: 'Uploads, downloads and previews. Never encrypted: no envelope can carry them.' },
  operations: fileOperations,
  routes: fileRoutes,
});
