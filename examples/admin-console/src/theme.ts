import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Shades of which text and its ground have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const theme = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  primaryShade: 8,
  components: {
    Badge: { defaultProps: { tt: 'none', style: { flexShrink: 0, minWidth: 'max-content' } } },
    // Nearly every field of a form is required, and a label reads as it sounds.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Their `header` is no banner of the page. Not by `extend`, which would load them for the sign-in.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
  },
});

/** Mantine's own colors of these texts have contrasts of 2 to 4.3 to 1. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-teal-light': 'var(--mantine-color-teal-0)',
    // Of buttons and of the link to the open place. Under the pointer they take the next shade.
    '--mantine-color-blue-light': 'var(--mantine-color-blue-0)',
    '--mantine-color-blue-light-hover': 'var(--mantine-color-blue-1)',
    '--mantine-color-red-light': 'var(--mantine-color-red-0)',
    '--mantine-color-red-light-hover': 'var(--mantine-color-red-1)',
    '--mantine-color-orange-light-color': '#8a2f06',
    '--mantine-color-yellow-light-color': '#7a4a00',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-5)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-5)',
  },
});
