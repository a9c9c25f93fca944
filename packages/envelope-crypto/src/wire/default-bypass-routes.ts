/** The routes that are always exempt: health checks, the bootstrap itself, and what a browser fetches natively. */
export const DEFAULT_BYPASS_ROUTES: readonly string[] = [
  '/actuator/health',
  '/encryption/public-key GET',
  '/public/storage/preview GET',
  '/public/storage/download GET',
];
