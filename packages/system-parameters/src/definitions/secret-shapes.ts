/** Last words of keys under which people keep secrets. */
const SECRET_KEY =
  /[.-](?:secret|password|passwd|passphrase|credentials?|token|(?:private|secret|api|access|signing)-key)$/;

/** Texts that are a secret whatever the parameter is called: a private key in PEM, a URL with a password in it. */
const SECRET_VALUE = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]*:[^\s/?#@]+@/i;

/**
 * SYS-6: secrets are never parameters. Values are shown to administrators, stored in the clear and handed to the audit
 * log, before and after. This catches the mistake, not the intent.
 */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(`.${key}`);
}

export function isSecretValue(value: string): boolean {
  return SECRET_VALUE.test(value);
}
