/** The person has closed the window of the browser, or has no such passkey. */
export class PasskeyCancelledError extends Error {
  override readonly name = 'PasskeyCancelledError';
}

export const hasPasskeys = () => typeof PublicKeyCredential === 'function';

type Library = typeof import('@simplewebauthn/browser');
type CreationOptions = Parameters<Library['startRegistration']>[0]['optionsJSON'];
type RequestOptions = Parameters<Library['startAuthentication']>[0]['optionsJSON'];

/** @param options as the service gives them */
export async function makePasskey(options: object): Promise<object> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON: options as CreationOptions }).catch(cancelled);
}

/** @param options as the service gives them */
export async function provePasskey(options: object): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON: options as RequestOptions }).catch(cancelled);
}

function cancelled(cause: unknown): never {
  throw new PasskeyCancelledError('the passkey was not used', { cause });
}
