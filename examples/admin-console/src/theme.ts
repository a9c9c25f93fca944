import { Badge, type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Shades of which text and its ground have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const theme = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  primaryShade: 8,
  components: {
    Badge: Badge.extend({ defaultProps: { tt: 'none', style: { flexShrink: 0 } } }),
    // Their `header` is no banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
  },
});

/** With Mantine's own colors, dimmed text has a contrast of 3.3 to 1, a placeholder of 2.1, light badges of 2 to 4.3. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light': 'var(--mantine-color-teal-0)',
    '--mantine-color-orange-light-color': '#8a2f06',
    '--mantine-color-yellow-light-color': '#7a4a00',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-5)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-5)',
  },
});
