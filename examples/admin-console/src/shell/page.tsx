import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface PageProps {
  readonly title: string;
  /** What the place is for, in a sentence. */
  readonly purpose?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A place: its title, what it is for, its content. */
export function Page({ title, purpose, actions, children }: PageProps) {
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h3">
            {title}
          </Title>
          {purpose !== undefined && (
            <Text size="sm" c="dimmed" maw={720}>
              {purpose}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
