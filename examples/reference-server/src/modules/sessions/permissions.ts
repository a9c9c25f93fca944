import { definePermissions } from '../../http/permission-group.js';

export const sessionPermissions = definePermissions({
  title: { en: 'Sessions', 'zh-CN': '会话' },
  permissions: {
    'api:admin:sessions:list': { en: 'See the sessions of others', 'zh-CN': '查看他人的会话' },
    'api:admin:sessions:end': { en: 'End the sessions of others', 'zh-CN': '结束他人的会话' },
  },
});
