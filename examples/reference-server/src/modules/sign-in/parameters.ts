import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** USR-3. */
export const registrationParameters = {
  enabled: {
    key: 'admin.auth.registration.enabled',
    type: 'BOOLEAN',
    default: false,
    isPublic: false,
    description: 'Anybody may register an administrator account that has no role',
  },
} as const;

export const registrationParameterTable = defineParameterTable<typeof registrationParameters, FastifyRequest>({
  definitions: registrationParameters,
});
