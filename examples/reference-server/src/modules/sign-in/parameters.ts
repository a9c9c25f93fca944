import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

const group = { name: 'registration', texts: { en: 'Registration', 'zh-CN': '注册' } } as const;

/** USR-3. */
export const registrationParameters = {
  enabled: {
    key: 'admin.auth.registration.enabled',
    type: 'BOOLEAN',
    default: false,
    isPublic: false,
    description:
      'Anyone may register an administrator account; it has no permissions until an administrator gives it a role',
    translations: { 'zh-CN': '任何人均可注册管理员账号；在管理员为其分配角色之前，该账号没有任何权限' },
    group,
  },
} as const;

export const registrationParameterTable = defineParameterTable<typeof registrationParameters, FastifyRequest>({
  definitions: registrationParameters,
});
