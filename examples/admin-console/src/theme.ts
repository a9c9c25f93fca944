import { Badge, type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Shades of which text and its ground have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const theme = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  primaryShade: 8,
  components: { Badge: Badge.extend({ defaultProps: { tt: 'none', style: { flexShrink: 0 } } }) },
});

/** The dimmed text of Mantine has a contrast of 3.3 to 1, its text on light teal of 4.3. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light': 'var(--mantine-color-teal-0)',
  },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-gray-5)' },
});
