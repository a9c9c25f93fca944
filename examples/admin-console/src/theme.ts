import { Badge, type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Shades of which text and its ground have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const theme = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  primaryShade: 8,
  components: {
    Badge: Badge.extend({ defaultProps: { tt: 'none', style: { flexShrink: 0 } } }),
    // Nearly every field of a form is required, and a label reads as it sounds.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Its header element would be a second banner of the page. Not by `extend`, which would load it for the sign-in.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
  },
});

/** The dimmed text of Mantine, and its text of errors, have a contrast of 3.3 to 1. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-5)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
