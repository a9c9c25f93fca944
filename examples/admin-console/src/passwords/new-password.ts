import { hashPassword } from '@sallyport/api-client';
import { checkPassword, type Fault } from '@sallyport/login-policy/password-rules';
import { useState } from 'react';
import { type Rule, rulesInForce, usePasswordRules } from './password-rules.js';

/** A password that is chosen in a form, typed twice. */
export interface NewPassword {
  readonly typed: string;
  setTyped(typed: string): void;
  readonly repeated: string;
  setRepeated(repeated: string): void;
  /** The rules in force. Empty until they are known. */
  readonly rules: readonly Rule[];
  readonly faults: readonly Fault[];
  readonly isRepeated: boolean;
  /** Whether it may be sent. */
  readonly isReady: boolean;
  /** Why the rules are not known. */
  readonly error: Error | null;
  readRulesAgain(): void;
  /** What is sent: its SM3 digest. */
  readonly digest: string;
}

export function useNewPassword(): NewPassword {
  const [typed, setTyped] = useState('');
  const [repeated, setRepeated] = useState('');
  const { data: known, error, refetch } = usePasswordRules();
  const faults = known == null ? [] : checkPassword(typed, known);
  const isRepeated = typed === repeated;
  return {
    typed,
    setTyped,
    repeated,
    setRepeated,
    rules: known == null ? [] : rulesInForce(known),
    faults,
    isRepeated,
    isReady: known !== undefined && typed !== '' && isRepeated && faults.length === 0,
    error,
    readRulesAgain: () => void refetch(),
    get digest() {
      return hashPassword(typed);
    },
  };
}
