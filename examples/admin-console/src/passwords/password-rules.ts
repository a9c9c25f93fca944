import { dataOf } from '@sallyport/api-client';
import { type Fault, type PasswordRules, passwordRulesFrom } from '@sallyport/login-policy/password-rules';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../service/service.js';

/** A rule in force, with its bound if it is one of length. */
export type Rule = Pick<Fault, 'rule' | 'bound'>;

/** The rules for new passwords. Data is undefined until they are known, and null if the service has none. */
export function usePasswordRules() {
  const api = useApi();
  return useQuery({
    queryKey: ['password-rules'],
    async queryFn({ signal }): Promise<PasswordRules | null> {
      const { data } = dataOf(await api.GET('/public/system-parameters', { signal }));
      try {
        return passwordRulesFrom(data);
      } catch {
        // A service without these parameters.
        return null;
      }
    },
  });
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
