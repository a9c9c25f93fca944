import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** USR-3. */
export const registrationParameters = {
  enabled: {
    key: 'admin.auth.registration.enabled',
    type: 'BOOLEAN',
    default: false,
    isPublic: false,
    description: 'Anyone may register an administrator account without a role',
  },
} as const;

export const registrationParameterTable = defineParameterTable<typeof registrationParameters, FastifyRequest>({
  definitions: registrationParameters,
});
