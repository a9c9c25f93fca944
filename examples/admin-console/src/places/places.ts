import { type ComponentType, lazy, type ReactNode } from 'react';
import { defineTexts } from '../language/language.js';
import { placeIcons } from './place-icons.js';

/** A part of the console, with its name in the navigation. */
export interface Place {
  /** Below `/console`. */
  readonly path: string;
  readonly name: PlaceName;
  readonly group: GroupName;
  readonly icon: ReactNode;
  /** One of these permissions opens the place. None: it is open to every administrator. */
  readonly permissions: readonly string[];
  readonly page: ComponentType;
}

export const placeNames = defineTexts({
  en: {
    watch: 'Watch',
    sessions: 'Sessions',
    loginLimits: 'Login limits',
    auditLog: 'Audit log',
    administrators: 'Administrators',
    roles: 'Roles',
    appUsers: 'App users',
    payments: 'Payments',
    files: 'Files',
    notifications: 'Notifications',
    parameters: 'Parameters',
    laboratory: 'Laboratory',
  },
  'zh-CN': {
    watch: '实时监控',
    sessions: '会话',
    loginLimits: '登录限制',
    auditLog: '审计日志',
    administrators: '管理员',
    roles: '角色',
    appUsers: 'App 用户',
    payments: '付款',
    files: '文件',
    notifications: '通知',
    parameters: '系统参数',
    laboratory: '实验室',
  },
});

export type PlaceName = keyof (typeof placeNames)['en'];

/** The groups of places, in the order of the navigation. */
export const groupNames = defineTexts({
  en: { security: 'Security', people: 'People', business: 'Business', system: 'System' },
  'zh-CN': { security: '安全', people: '人员', business: '业务', system: '系统' },
});

export type GroupName = keyof (typeof groupNames)['en'];

/** The places, in the order of the navigation. Each is loaded when it is first opened. */
export const places: readonly Place[] = [
  {
    path: '/watch',
    name: 'watch',
    group: 'security',
    icon: placeIcons.watch,
    permissions: ['api:admin:activity:read', 'api:admin:login-policy:explain'],
    page: lazy(() => import('./watch/watch-page.js')),
  },
  {
    path: '/sessions',
    name: 'sessions',
    group: 'security',
    icon: placeIcons.sessions,
    permissions: [],
    page: lazy(() => import('./sessions/sessions-page.js')),
  },
  {
    path: '/login-limits',
    name: 'loginLimits',
    group: 'security',
    icon: placeIcons.loginLimits,
    permissions: [
      'api:admin:login-policy:explain',
      'api:admin:auth:clearLoginLimit',
      'api:admin:auth:clearAddressLimit',
    ],
    page: lazy(() => import('./login-limits/login-limits-page.js')),
  },
  {
    path: '/audit-log',
    name: 'auditLog',
    group: 'security',
    icon: placeIcons.auditLog,
    permissions: ['api:admin:audit-records:list', 'api:admin:audit-records:export', 'api:admin:audit-records:verify'],
    page: lazy(() => import('./audit-log/audit-log-page.js')),
  },
  {
    path: '/administrators',
    name: 'administrators',
    group: 'people',
    icon: placeIcons.administrators,
    permissions: ['api:admin:administrators:list'],
    page: lazy(() => import('./administrators/administrators-page.js')),
  },
  {
    path: '/roles',
    name: 'roles',
    group: 'people',
    icon: placeIcons.roles,
    permissions: ['api:admin:roles:list'],
    page: lazy(() => import('./roles/roles-page.js')),
  },
  {
    path: '/app-users',
    name: 'appUsers',
    group: 'people',
    icon: placeIcons.appUsers,
    permissions: ['api:admin:app-users:list'],
    page: lazy(() => import('./app-users/app-users-page.js')),
  },
  {
    path: '/payments',
    name: 'payments',
    group: 'business',
    icon: placeIcons.payments,
    permissions: ['api:admin:payments:list', 'api:admin:payments:create'],
    page: lazy(() => import('./payments/payments-page.js')),
  },
  {
    path: '/files',
    name: 'files',
    group: 'business',
    icon: placeIcons.files,
    permissions: ['api:admin:storage:list', 'api:admin:storage:upload', 'api:admin:storage:simulate'],
    page: lazy(() => import('./files/files-page.js')),
  },
  {
    path: '/notifications',
    name: 'notifications',
    group: 'business',
    icon: placeIcons.notifications,
    permissions: ['api:admin:notifications:list'],
    page: lazy(() => import('./notifications/notifications-page.js')),
  },
  {
    path: '/parameters',
    name: 'parameters',
    group: 'system',
    icon: placeIcons.parameters,
    permissions: ['api:admin:system-parameters:read'],
    page: lazy(() => import('./parameters/parameters-page.js')),
  },
  {
    path: '/laboratory',
    name: 'laboratory',
    group: 'system',
    icon: placeIcons.laboratory,
    permissions: [],
    page: lazy(() => import('./laboratory/laboratory-page.js')),
  },
];
