import { type ComponentType, lazy } from 'react';
import { defineTexts } from '../language/language.js';

/** A part of the console, with its name in the navigation. */
export interface Place {
  /** Below `/console`. */
  readonly path: string;
  readonly name: PlaceName;
  /** One of these permissions opens the place. None: it is open to every administrator. */
  readonly permissions: readonly string[];
  readonly page: ComponentType;
}

export const placeNames = defineTexts({
  en: {
    sessions: 'Sessions',
    loginLimits: 'Login limits',
    parameters: 'Parameters',
    administrators: 'Administrators',
    roles: 'Roles',
    files: 'Files',
    auditLog: 'Audit log',
    payments: 'Payments',
    laboratory: 'Laboratory',
  },
  'zh-CN': {
    sessions: '会话',
    loginLimits: '登录限制',
    parameters: '系统参数',
    administrators: '管理员',
    roles: '角色',
    files: '文件',
    auditLog: '审计日志',
    payments: '付款',
    laboratory: '实验室',
  },
});

export type PlaceName = keyof (typeof placeNames)['en'];

/** The places, in the order of the navigation. Each is loaded when it is first opened. */
export const places: readonly Place[] = [
  { path: '/sessions', name: 'sessions', permissions: [], page: lazy(() => import('./sessions/sessions-page.js')) },
  {
    path: '/login-limits',
    name: 'loginLimits',
    permissions: [
      'api:admin:login-policy:explain',
      'api:admin:auth:clearLoginLimit',
      'api:admin:auth:clearAddressLimit',
    ],
    page: lazy(() => import('./login-limits/login-limits-page.js')),
  },
  {
    path: '/parameters',
    name: 'parameters',
    permissions: ['api:admin:system-parameters:read'],
    page: lazy(() => import('./parameters/parameters-page.js')),
  },
  {
    path: '/administrators',
    name: 'administrators',
    permissions: ['api:admin:administrators:list'],
    page: lazy(() => import('./administrators/administrators-page.js')),
  },
  {
    path: '/roles',
    name: 'roles',
    permissions: ['api:admin:roles:list'],
    page: lazy(() => import('./roles/roles-page.js')),
  },
  {
    path: '/files',
    name: 'files',
    permissions: ['api:admin:storage:list', 'api:admin:storage:upload', 'api:admin:storage:simulate'],
    page: lazy(() => import('./files/files-page.js')),
  },
  {
    path: '/audit-log',
    name: 'auditLog',
    permissions: ['api:admin:audit-records:list', 'api:admin:audit-records:export', 'api:admin:audit-records:verify'],
    page: lazy(() => import('./audit-log/audit-log-page.js')),
  },
  {
    path: '/payments',
    name: 'payments',
    permissions: ['api:admin:payments:list', 'api:admin:payments:create'],
    page: lazy(() => import('./payments/payments-page.js')),
  },
  {
    path: '/laboratory',
    name: 'laboratory',
    permissions: [],
    page: lazy(() => import('./laboratory/laboratory-page.js')),
  },
];
