import { Fieldset, Stack, Text } from '@mantine/core';
import { useTexts } from '../../language/language.js';
import type { CaptchaState } from '../../session/captcha.js';
import CaptchaField from '../../session/captcha-field.js';
import { texts } from './texts.js';

/** A captcha, and why it is asked for. */
export default function CaptchaFieldset({
  captcha,
  reason,
}: {
  readonly captcha: CaptchaState;
  readonly reason: string;
}) {
  const t = useTexts(texts);
  return (
    <Fieldset legend={t.captcha} p="sm">
      <Stack gap="xs">
        <Text size="sm" role="status">
          {reason}
        </Text>
        <CaptchaField captcha={captcha} />
      </Stack>
    </Fieldset>
  );
}
