import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** ADM-1. If the stored value is invalid, the captcha is required. */
export const captchaParameters = {
  enabled: {
    key: 'admin.auth.captcha.enabled',
    type: 'BOOLEAN',
    default: false,
    fallback: true,
    isPublic: true,
    description: 'Sign-in of administrators needs a captcha',
  },
} as const;

export const captchaParameterTable = defineParameterTable<typeof captchaParameters, FastifyRequest>({
  definitions: captchaParameters,
});
