import { Group, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

export interface Tab {
  readonly path: string;
  readonly name: string;
  readonly icon: ReactNode;
}

/** The places of the app, below the thumb. */
export function TabBar({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [location] = useLocation();
  return (
    <Group
      component="nav"
      aria-label={label}
      grow
      gap={0}
      flex="0 0 auto"
      py={4}
      style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}
    >
      {tabs.map(({ path, name, icon }) => {
        const isHere = location === path;
        return (
          <UnstyledButton
            key={path}
            component={Link}
            href={path}
            aria-current={isHere ? 'page' : undefined}
            c={isHere ? 'var(--mantine-primary-color-light-color)' : 'dimmed'}
          >
            <Stack gap={0} align="center" py={4}>
              {icon}
              <Text size="xs" fw={isHere ? 700 : 500}>
                {name}
              </Text>
            </Stack>
          </UnstyledButton>
        );
      })}
    </Group>
  );
}
