import { Button, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTexts } from '../language/language.js';
import { printText } from './print-text.js';
import { texts } from './texts.js';

/** A code has 29 characters. It stands in one line, if the page has the room. */
const COLUMN = 'min(100%, 29ch)';
const PLAIN_LIST = { listStyle: 'none' } as const;

/** The codes, shown once: to print or to copy. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const t = useTexts(texts);
  return (
    <Stack gap="sm" component="section" aria-label={t.codesTitle}>
      <Text size="sm">{t.codesPurpose}</Text>
      <SimpleGrid component="ul" minColWidth={COLUMN} spacing={4} m={0} p={0} ff="monospace" fz="sm" style={PLAIN_LIST}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </SimpleGrid>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => printText(t.codesTitle, codes)}>
          {t.print}
        </Button>
        <CopyButton value={codes.join('\n')}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? t.copied : t.copyAll}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}
