import { Card, Group, List, Stack, Text, Title } from '@mantine/core';
import { useFormats } from '../../language/formats.js';
import { useTexts } from '../../language/language.js';
import type { Explanation } from './explanation.js';
import { texts } from './texts.js';
import { TimeLeft } from './time-left.js';

/** What limits the codes of an app user. */
export function CodeLimits({ codes }: { readonly codes: NonNullable<Explanation['codes']> }) {
  const t = useTexts(texts);
  const { number, dateTime } = useFormats();
  const figures = [
    { label: t.liveCodes, count: codes.liveCodes },
    { label: t.messages, count: codes.messages },
    { label: t.wrongCodes, count: codes.wrongCodes },
  ];
  return (
    <Card withBorder padding="md" component="section" aria-label={t.codes}>
      <Stack gap="sm">
        <Title order={3} size="h4">
          {t.codes}
        </Title>
        <Group gap="lg">
          {figures.map(({ label, count }) => (
            <div key={label}>
              <Text size="xs" c="dimmed">
                {label}
              </Text>
              <Text fw={700}>{number(count)}</Text>
            </div>
          ))}
        </Group>
        {codes.limits.length === 0 && <Text size="sm">{t.noCodeLimits}</Text>}
        {codes.limits.length > 0 && (
          <List size="sm" spacing="xs">
            {codes.limits.map(({ limit, until }) => (
              <List.Item key={limit}>
                {t.codeLimits[limit]}
                <Text size="sm" c="dimmed">
                  {dateTime(until)} · <TimeLeft until={until} />
                </Text>
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Card>
  );
}
