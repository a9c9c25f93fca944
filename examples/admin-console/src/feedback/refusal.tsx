import { Button, Group, Text } from '@mantine/core';
import { type ComponentType, useEffect, useState } from 'react';
import { useTexts } from '../language/language.js';
import { type ExplanationProps, type RefusalProps, refusalTexts } from './refusal-props.js';

let Explanation: ComponentType<ExplanationProps> | null = null;

/** Loads what explains failures. Not a part of the first script: a sign-in that succeeds needs none of it. */
export async function loadExplanation(): Promise<void> {
  Explanation = (await import('./explanation.js')).default;
}

/** Explains a failure: the service's own text, with the request id to copy, or what happened to the request. */
export function Refusal({ error, ...rest }: RefusalProps) {
  return error === null ? null : <Explained error={error} {...rest} />;
}

function Explained(props: ExplanationProps) {
  const t = useTexts(refusalTexts);
  const { error, onRetry } = props;
  const [failed, setFailed] = useState<Error | null>(null);
  useEffect(() => {
    if (Explanation !== null) return;
    // A render follows in both cases.
    loadExplanation().then(
      () => setFailed(error),
      () => setFailed(error),
    );
  }, [error]);
  if (Explanation !== null) return <Explanation {...props} />;
  // Without the network, the explanation can't be loaded either.
  return (
    failed === error && (
      <Group role="alert" gap="xs">
        <Text size="sm" c="error">
          {onRetry === undefined ? t.unreachable : t.unread}
        </Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t.tryAgain}
          </Button>
        )}
      </Group>
    )
  );
}
