import { Button, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useTexts } from '../language/language.js';
import { printText } from './print-text.js';
import { texts } from './texts.js';

/** The codes, shown once: to print or to copy. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const t = useTexts(texts);
  return (
    <Stack gap="sm" component="section" aria-label={t.codesTitle}>
      <Text size="sm">{t.codesPurpose}</Text>
      <SimpleGrid component="ul" cols={2} spacing={4} m={0} p={0} style={{ listStyle: 'none' }}>
        {codes.map((code) => (
          <Text key={code} component="li" ff="monospace" size="sm">
            {code}
          </Text>
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
