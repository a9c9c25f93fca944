import { hashPassword } from '@sallyport/api-client';
import { checkPassword } from '@sallyport/login-policy/password-rules';
import { useRef, useState } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { PasswordField } from '../../passwords/password-field.js';
import { rulesInForce, usePasswordRules } from '../../passwords/password-rules.js';
import { ruleTexts } from '../../passwords/rule-texts.js';
import { texts } from './texts.js';

/**
 * A new password, and the rules for it. The page checks them: the service gets a digest, and refuses only what is
 * common.
 */
export function useNewPassword() {
  const [value, setValue] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const rules = usePasswordRules();
  const faults = rules.data == null ? [] : checkPassword(value, rules.data);
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
  const textOf = useTexts(ruleTexts);
  const { value, setValue, input, rules, faults, isChecked, check } = password;
  const isWrong = isChecked && value !== '' && faults.length > 0;
  const needs = faults.map(({ rule, bound = 0 }) => textOf[rule](bound)).join(t.and);
  const wanted = rules.data == null ? [] : rulesInForce(rules.data);
  const description = wanted.map(({ rule, bound = 0 }) => textOf[rule](bound)).join(t.and);
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
        description={description !== '' && t.rules(description)}
        error={isWrong && t.needs(needs)}
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
        onBlur={check}
      />
      <Refusal error={rules.error} onRetry={() => void rules.refetch()} />
    </>
  );
}
