/** Where the app user's side is. */
export const APP_PATH = '/console/app';

/** The screen for a forgotten password. Full, since the screens before the sign-in do without a router. */
export const RECOVERY_PATH = `${APP_PATH}/recover`;
