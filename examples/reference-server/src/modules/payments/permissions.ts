import { definePermissions } from '../../http/permission-group.js';

export const paymentPermissions = definePermissions({
  title: { en: 'Payments', 'zh-CN': '付款' },
  permissions: {
    'api:admin:payments:list': { en: 'List and search payments', 'zh-CN': '查看和搜索付款列表' },
    'api:admin:payments:create': { en: 'Make payments', 'zh-CN': '创建付款' },
    'api:admin:payments:read': { en: 'Read a payment', 'zh-CN': '查看付款详情' },
  },
});
