import { Text } from '@mantine/core';
import { Refusal } from '../feedback/refusal.js';
import { useTexts } from '../language/language.js';
import { PasskeyCancelledError } from './passkeys.js';
import { texts } from './texts.js';

/** The refusal of a proof or an enrolment, or the word that the browser was told to give up. */
export function StepRefusal({ error }: { readonly error: Error | null }) {
  const t = useTexts(texts);
  if (!(error instanceof PasskeyCancelledError)) return <Refusal error={error} labels={{ code: t.code }} />;
  return (
    <Text size="sm" c="error" role="alert">
      {t.cancelled}
    </Text>
  );
}
