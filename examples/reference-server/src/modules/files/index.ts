import { validate as isUuid } from 'uuid';
import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { fileOperations } from './docs.js';
import { ownerOf } from './file-records.js';
import { type FileStorageOptions, fileStorage } from './file-storage.js';
import { uploadPolicyParameterTable } from './parameters.js';
import type { UploadDependencies } from './receive-file.js';
import { fileRoutes } from './routes.js';

export { storedFiles as storedFilesTable } from './table.js';

const permissions = definePermissions({
  title: { en: 'Files', 'zh-CN': '文件' },
  permissions: {
    'api:admin:storage:upload': { en: 'Upload files', 'zh-CN': '上传文件' },
    'api:admin:storage:simulate': { en: 'Try a file against the upload policy', 'zh-CN': '用上传策略试验文件' },
    'api:admin:storage:list': { en: 'List and search files', 'zh-CN': '查看和搜索文件列表' },
    'api:admin:storage:read': { en: 'Read a file and its content', 'zh-CN': '查看文件及其内容' },
    'api:admin:storage:delete': { en: 'Delete files', 'zh-CN': '删除文件' },
    'api:admin:storage:download': { en: 'Get tickets for downloads', 'zh-CN': '获取下载凭证' },
  },
});

export const files = defineModule({
  name: 'files',
  permissions,
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
