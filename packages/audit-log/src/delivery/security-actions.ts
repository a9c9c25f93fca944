/**
 * Actions that are security events. They are delivered with a marker, and by syslog with a higher severity. Extend the
 * list by the option `securityActions`. Every action that begins with `security.` is one as well, such as
 * `security.clock-step`.
 */
export const SECURITY_ACTIONS: readonly string[] = [
  // A sign-in was locked.
  'auth.lock',
];

const SECURITY_PREFIX = 'security.';

/** Whether an action is a security event. */
export function securityTest(actions: readonly string[]): (action: string) => boolean {
  const known = new Set(actions);
  return (action) => known.has(action) || action.startsWith(SECURITY_PREFIX);
}
