import { Button, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { CaptchaStep } from './captcha-step.js';
import { texts } from './texts.js';
import type { CodeState } from './use-code.js';

export interface CodeRequestProps {
  readonly code: CodeState;
  /** The field of the number. */
  readonly children?: ReactNode;
}

/** Asks for a code by text message, with the captcha where the service wants one. */
export function CodeRequest({ code, children }: CodeRequestProps) {
  const t = useTexts(texts);
  const { sent, secondsLeft, captcha } = code;
  const isWaiting = secondsLeft > 0;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isWaiting) code.ask();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        {!isWaiting && <CaptchaStep captcha={captcha} reason={t.captchaReason} />}
        <Refusal error={code.error} />
        <Button
          type="submit"
          size="md"
          variant={sent === null ? 'filled' : 'default'}
          loading={code.isPending}
          disabled={isWaiting}
        >
          {isWaiting ? t.wait(secondsLeft) : sent === null ? t.getCode : t.anotherCode}
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {sent !== null && t.sent(Math.max(1, Math.round(sent.validSeconds / 60)))}
        </Text>
      </Stack>
    </form>
  );
}
