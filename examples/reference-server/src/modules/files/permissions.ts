import { definePermissions } from '../../http/permission-group.js';

export const filePermissions = definePermissions({
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
