import { Anchor, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTexts } from '../../language/language.js';
import { CodeRequest } from './code-request.js';
import { texts } from './texts.js';
import type { CodeState } from './use-code.js';

export interface CodeStepsProps {
  readonly code: CodeState;
  /** The field of the number. */
  readonly number?: ReactNode;
  /** The form that takes the code. */
  readonly children: ReactNode;
}

/** First the number, then, once a code is on its way, the form that takes it. */
export function CodeSteps({ code, number, children }: CodeStepsProps) {
  const t = useTexts(texts);
  const [isOpen, setIsOpen] = useState(false);
  const isSent = code.sent !== null;
  useEffect(() => {
    // It stays, with what was typed into it, if the number is corrected.
    if (isSent) setIsOpen(true);
  }, [isSent]);
  return (
    <Stack gap="sm">
      <CodeRequest code={code}>{number}</CodeRequest>
      {isOpen || isSent ? (
        children
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => setIsOpen(true)}>
          {t.haveCode}
        </Anchor>
      )}
    </Stack>
  );
}
