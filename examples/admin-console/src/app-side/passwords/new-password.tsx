import { dataOf, hashPassword } from '@sallyport/api-client';
import { checkPassword, passwordRulesFrom } from '@sallyport/login-policy/password-rules';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { PasswordField } from '../../passwords/password-field.js';
import { useApi } from '../../service/service.js';
import { texts } from './texts.js';

const KINDS = ['requireUppercase', 'requireLowercase', 'requireDigit', 'requireSpecial'] as const;

/**
 * A new password, and the rules for it. The page checks them: the service gets a digest, and refuses only what is
 * common.
 */
export function useNewPassword() {
  const api = useApi();
  const [value, setValue] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const rules = useQuery({
    queryKey: ['password-rules'],
    queryFn: async ({ signal }) =>
      passwordRulesFrom(dataOf(await api.GET('/public/system-parameters', { signal })).data),
  });
  const faults = rules.data === undefined ? [] : checkPassword(value, rules.data);
  return {
    value,
    setValue,
    /** What the service gets. */
    get digest() {
      return hashPassword(value);
    },
    input,
    rules,
    faults,
    isChecked,
    check: () => setIsChecked(true),
    /** Whether a form may send it. If not, its field says why. */
    isAllowed(): boolean {
      setIsChecked(true);
      if (rules.data !== undefined && faults.length === 0) return true;
      input.current?.focus();
      return false;
    },
  };
}

export function NewPasswordInput({ password }: { readonly password: ReturnType<typeof useNewPassword> }) {
  const t = useTexts(texts);
  const { value, setValue, input, rules, faults, isChecked, check } = password;
  const isWrong = isChecked && value !== '' && faults.length > 0;
  const needs = faults.map(({ rule, bound }) => t.faults[rule](bound)).join(t.and);
  const known = rules.data;
  const wanted = known === undefined ? [] : KINDS.filter((rule) => known[rule]).map((rule) => t.faults[rule](0));
  const description = known !== undefined && [t.lengths(known.minLength, known.maxLength), ...wanted].join(t.and);
  return (
    <>
      <PasswordField
        ref={input}
        label={t.newPassword}
        name="newPassword"
        autoComplete="new-password"
        required
        withAsterisk={false}
        size="md"
        description={description}
        error={isWrong && t.needs(needs)}
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        onBlur={check}
      />
      <Refusal error={rules.error} onRetry={() => void rules.refetch()} />
    </>
  );
}
