import { List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Refusal } from '../feedback/refusal.js';
import { defineTexts, useTexts } from '../language/language.js';
import type { NewPassword } from './new-password.js';
import { PasswordField } from './password-field.js';
import { ruleTexts } from './rule-texts.js';

const texts = defineTexts({
  en: {
    needs: 'A password needs:',
    met: 'met',
    open: 'not met',
    server:
      'Common passwords, and passwords made from the username, are refused, too. The password leaves this page only as its SM3 digest.',
    repeat: 'Repeat the password',
    differs: 'The two passwords differ.',
    repeatHint: 'Type the password a second time.',
    broken: 'The password does not meet every rule below.',
  },
  'zh-CN': {
    needs: '密码要求：',
    met: '已满足',
    open: '未满足',
    server: '常见密码以及由用户名变化而来的密码也会被拒绝。密码仅以 SM3 摘要的形式离开本页面。',
    repeat: '再次输入密码',
    differs: '两次输入的密码不一致。',
    repeatHint: '再次输入相同的密码',
    broken: '密码未满足以下全部要求。',
  },
});

export interface NewPasswordFieldsProps {
  readonly password: NewPassword;
  readonly label: string;
  /** What the service says about it. */
  readonly error?: string | undefined;
}

const HINT_BELOW: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** The fields of a new password, with its rules. */
export function NewPasswordFields({ password, label, error }: NewPasswordFieldsProps) {
  const t = useTexts(texts);
  const textOf = useTexts(ruleTexts);
  const [isLeft, leave] = useState(false);
  const [isRepeatLeft, leaveRepeat] = useState(false);
  const { typed, repeated, rules, faults, isRepeated } = password;
  const isDifferent = isRepeatLeft && repeated !== '' && !isRepeated;
  const isBroken = isLeft && typed !== '' && faults.length > 0;
  return (
    <Stack gap="xs">
      <PasswordField
        label={label}
        autoComplete="new-password"
        required
        value={typed}
        error={error ?? (isBroken && t.broken)}
        onChange={({ currentTarget }) => password.setTyped(currentTarget.value)}
        onBlur={() => leave(true)}
      />
      <PasswordField
        label={t.repeat}
        autoComplete="new-password"
        required
        value={repeated}
        // The line stands from the beginning: an error that moves the page loses the click that caused it.
        inputWrapperOrder={HINT_BELOW}
        description={isDifferent ? undefined : t.repeatHint}
        error={isDifferent && t.differs}
        onChange={({ currentTarget }) => password.setRepeated(currentTarget.value)}
        onBlur={() => leaveRepeat(true)}
      />
      <div>
        {rules.length > 0 && (
          <>
            <Text size="sm">{t.needs}</Text>
            <List size="sm" listStyleType="none">
              {rules.map(({ rule, bound = 0 }) => {
                const isMet = typed !== '' && !faults.some((fault) => fault.rule === rule);
                return (
                  <List.Item key={rule} icon={<Mark isMet={isMet} label={isMet ? t.met : t.open} />}>
                    {textOf[rule](bound)}
                  </List.Item>
                );
              })}
            </List>
          </>
        )}
        <Text size="xs" c="dimmed" mt={4}>
          {t.server}
        </Text>
      </div>
      <Refusal error={password.error} onRetry={password.readRulesAgain} />
    </Stack>
  );
}

function Mark({ isMet, label }: { readonly isMet: boolean; readonly label: string }) {
  return (
    <Text span size="sm" c={isMet ? 'teal' : 'dimmed'} fw={700} role="img" aria-label={label}>
      {isMet ? '✓' : '○'}
    </Text>
  );
}
