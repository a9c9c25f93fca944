import { validate as isUuid } from 'uuid';
import { defineModule } from '../../http/module.js';
import { fileOperations } from './docs.js';
import { ownerOf } from './file-records.js';
import { type FileStorageOptions, fileStorage } from './file-storage.js';
import { uploadPolicyParameterTable } from './parameters.js';
import { filePermissions } from './permissions.js';
import type { UploadDependencies } from './receive-file.js';
import { fileRoutes } from './routes.js';

export { storedFiles as storedFilesTable } from './table.js';

export const files = defineModule({
  name: 'files',
  permissions: filePermissions,
  parameters: [uploadPolicyParameterTable],
  ticketPurposes: {
    /** One stored file, by its id: `GET /public/storage/download`. An app user may download his own files. */
    'storage:download': {
      admin: 'api:admin:storage:download',
      app: async ({ storedFiles }, principal, id) => isUuid(id) && storedFiles.isOwnedBy(id, ownerOf(principal)),
    },
  },
  async prepare(app, { config, database, contentLedger }: FileStorageOptions & UploadDependencies) {
    await app.register(fileStorage, { config, database, contentLedger });
  },
  tags: { Files: 'Uploads, downloads and previews. Never encrypted: no envelope can carry them.' },
  operations: fileOperations,
  routes: fileRoutes,
});
