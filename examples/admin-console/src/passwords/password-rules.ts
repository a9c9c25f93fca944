import { dataOf } from '@sallyport/api-client';
import { type Fault, type PasswordRules, passwordRulesFrom } from '@sallyport/login-policy/password-rules';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../service/service.js';

/** A rule in force, with its bound if it is one of length. */
export type Rule = Pick<Fault, 'rule' | 'bound'>;

/** The rules for new passwords; null until they are known, or if the service has none. */
export function usePasswordRules(): PasswordRules | null {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['public-parameters'],
    queryFn: async ({ signal }) => dataOf(await api.GET('/public/system-parameters', { signal })).data,
  });
  return useMemo(() => {
    if (data === undefined) return null;
    try {
      return passwordRulesFrom(data);
    } catch {
      // A service without these parameters.
      return null;
    }
  }, [data]);
}

/** The rules that ask for something. */
export function rulesInForce({ minLength, maxLength, ...required }: PasswordRules): readonly Rule[] {
  const kinds = ['requireUppercase', 'requireLowercase', 'requireDigit', 'requireSpecial'] as const;
  return [
    { rule: 'minLength', bound: minLength },
    { rule: 'maxLength', bound: maxLength },
    ...kinds.filter((kind) => required[kind]).map((rule) => ({ rule })),
  ];
}
