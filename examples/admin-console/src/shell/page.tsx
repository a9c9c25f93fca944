import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export interface PageProps {
  readonly title: string;
  /** What the place is for, in a sentence. */
  readonly purpose?: ReactNode;
  /** Buttons next to the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A place: its title, what it is for, its content. */
export function Page({ title, purpose, actions, children }: PageProps) {
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text component="h1" fz="h3" lh="h3" fw="var(--mantine-h3-font-weight)" m={0}>
            {title}
          </Text>
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
