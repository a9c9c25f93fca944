/** The token of this device: with it, a stranger's guesses do not lock its owner out. */
const KEPT_AT = 'sallyport.app-device';

/** The member of a request that names the device. None before the first sign-in of a user with a password. */
export function deviceMember(): { readonly deviceToken?: string } {
  const deviceToken = localStorage.getItem(KEPT_AT);
  return deviceToken === null ? {} : { deviceToken };
}

/** @param token the answer's, which replaces the last one. A user without a password gets none. */
export function keepDevice(token: string | undefined): void {
  if (token !== undefined) localStorage.setItem(KEPT_AT, token);
}
