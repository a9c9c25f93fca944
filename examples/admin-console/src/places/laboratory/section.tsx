import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface SectionProps {
  readonly title: string;
  readonly hint?: ReactNode;
  /** Shown next to the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the laboratory. */
export function Section({ title, hint, aside, children }: SectionProps) {
  return (
    <Card withBorder padding="md" component="section" aria-label={title} miw={0}>
      <Stack gap="sm">
        <div>
          <Group justify="space-between" gap="xs">
            <Title order={2} size="h5">
              {title}
            </Title>
            {aside}
          </Group>
          {hint !== undefined && (
            <Text size="xs" c="dimmed">
              {hint}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
