import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

/** The part of the phone that scrolls. */
export function Screen({ children }: { readonly children: ReactNode }) {
  return (
    <Box flex={1} mih={0} px="md" pt="xs" pb="md" pos="relative" style={{ overflowY: 'auto' }}>
      {children}
    </Box>
  );
}
