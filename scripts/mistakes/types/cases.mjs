import { doesNotCompile } from '../expectations.mjs';

export const cases = [
  doesNotCompile('audit: 5', 'audit-number.ts', /not assignable/),
  doesNotCompile('audit: true', 'audit-true.ts', /not assignable/),
  doesNotCompile('audit: { parameter }', 'audit-members.ts', /'?parameters?'?/),
  doesNotCompile("idempotency: 'yes'", 'idempotency-yes.ts', /not assignable/),
  doesNotCompile('idempotency: { require }', 'idempotency-members.ts', /require is not a known member/),
  doesNotCompile('principalOf may return undefined', 'principal-undefined.ts', /undefined/),
  doesNotCompile('principalOf returns a promise', 'principal-promise.ts', /Promise/),
  doesNotCompile('access: 5', 'access-number.ts', /not assignable/),
  doesNotCompile('decide returns a promise', 'decide-promise.ts', /Promise|not assignable/),
  doesNotCompile('request.principal is not compared with null', 'unchecked-principal.ts', /possibly 'null'/),
  doesNotCompile('a misspelt member of a policy', 'misspelt-option.ts', /failureCount/),
  doesNotCompile('a sink without await', 'store-promise.ts', /append|Promise/),
  doesNotCompile('the result of attempt is not compared with null', 'unchecked-result.ts', /possibly 'null'/),
];
