import { passwordRuleFaults, passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

/** The rules that clients apply to a password before they hash it. */
export const passwordRuleParameterTable = defineParameterTable<typeof passwordRuleParameters, FastifyRequest>({
  definitions: passwordRuleParameters,
  rules: passwordRuleFaults,
});
