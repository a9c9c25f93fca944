import { Alert, Text } from '@mantine/core';
import { RefusedError } from '@sallyport/api-client';
import { Refusal } from '../../feedback/refusal.js';
import { useTexts } from '../../language/language.js';
import { texts } from './texts.js';

/** Explains a failure of a write. If the session had ended, the user has signed in again since. */
export function Failure({ error }: { readonly error: Error | null }) {
  const t = useTexts(texts);
  if (!(error instanceof RefusedError) || error.problem.status !== 401) return <Refusal error={error} />;
  return (
    <Alert color="yellow" role="alert">
      <Text size="sm">{t.notSaved}</Text>
    </Alert>
  );
}
