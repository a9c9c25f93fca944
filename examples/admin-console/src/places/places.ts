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
];
