import { useMediaQuery } from '@mantine/hooks';

/** Below the breakpoint `sm` of Mantine. */
const NARROW = '(max-width: 48em)';

/** Whether the window is as narrow as a phone's. */
export function useIsNarrow(): boolean {
  return useMediaQuery(NARROW, matchMedia(NARROW).matches, { getInitialValueInEffect: false });
}
