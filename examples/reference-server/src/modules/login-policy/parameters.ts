import { excludesCaller, loginPolicyParameters } from '@sallyport/login-policy';
import { defineParameterTable } from '@sallyport/system-parameters';
import type { FastifyRequest } from 'fastify';

const whitelistKeys: readonly string[] = [
  loginPolicyParameters.ipWhitelistEnabled.key,
  loginPolicyParameters.ipWhitelistValues.key,
];

/** The parameters of the package, with a guard against locking oneself out. */
export const loginPolicyParameterTable = defineParameterTable<typeof loginPolicyParameters, FastifyRequest>({
  definitions: loginPolicyParameters,
  // LGN-8: administrators who lock themselves out can't revert the change.
  guard({ key, values }, { request }) {
    if (!whitelistKeys.includes(key) || request === undefined) return null;
    return excludesCaller(values, request.clientIp) ? 'With it you could not sign in from your own address' : null;
  },
});
