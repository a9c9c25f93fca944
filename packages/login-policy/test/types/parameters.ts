// ADP-7: the definitions of the policy fit a table of dynamic parameters as they are.
import loginPolicy, { excludesCaller, loginPolicyFaults, loginPolicyParameters } from '@sallyport/login-policy';
import { passwordRuleFaults, passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import systemParameters, { createMemorySource, defineParameterTable } from '@sallyport/system-parameters';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const app = Fastify();
await app.register(systemParameters, {
  tables: [
    { definitions: loginPolicyParameters, rules: loginPolicyFaults },
    { definitions: passwordRuleParameters, rules: passwordRuleFaults },
  ],
  source: createMemorySource(),
});
await app.register(loginPolicy, {
  store: createMemoryStore(),
  policy: () => app.systemParameters.read(loginPolicyParameters),
});
export const { failureCount }: { failureCount: number } = await app.systemParameters.read(loginPolicyParameters);

// With a default of the application's own.
export const strict = defineParameterTable({
  definitions: {
    ...loginPolicyParameters,
    failureCount: { ...loginPolicyParameters.failureCount, default: 3 },
  },
  rules: loginPolicyFaults,
  guard: ({ values }) => (excludesCaller(values, '192.0.2.1') ? 'this excludes you' : null),
});
