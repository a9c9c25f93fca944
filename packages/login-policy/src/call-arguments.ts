import { type IpAddress, parseIp } from '@sallyport/plugin-kit/addresses';
import { anything, argumentCheck, callback, optional } from '@sallyport/plugin-kit/options';

/**
 * The call itself checks the values that a client or an administrator writes, and refuses them with an error for the
 * client.
 */
const written = anything();
const account = { username: written, terminal: written };

const decider = callback({ that: 'takes { result } or { error } and returns true, false or undefined' });
const precheck = callback({ that: 'resolves to undefined, or rejects to refuse the attempt' });
const isFinal = callback({ that: 'takes the result of a success, and returns true or false' });
const onPassed = callback({ that: 'takes the result of a success, and resolves' });

/** The application may add members to the subject that it needs in its events, such as the request. */
const subject = { ...account, clientIp: written, deviceToken: written };

export const checkSubject = argumentCheck('loginPolicy.attempt', subject, { argument: 'subject', isOpen: true });

export const checkSucceed = argumentCheck('loginPolicy.succeed', subject, { argument: 'subject', isOpen: true });

export const checkAttemptOptions = argumentCheck(
  'loginPolicy.attempt',
  {
    isFailure: optional(decider),
    precheck: optional(precheck),
    onPassed: optional(onPassed),
    isFinal: optional(isFinal),
  },
  { argument: 'options' },
);

export function checkVerify(verify: unknown): void {
  if (typeof verify !== 'function') {
    throw new TypeError('loginPolicy.attempt: verify must be a function that verifies the password');
  }
}

/** @throws TypeError that begins with `name`, such as `loginPolicy.explain: clientIp` */
export function requireIp(name: string, given: unknown): IpAddress {
  const address = typeof given === 'string' && !given.includes('%') ? parseIp(given) : null;
  if (address === null) throw new TypeError(`${name} must be an IP address, such as request.ip`);
  return address;
}

export const checkClear = argumentCheck('loginPolicy.clear', account);
export const checkClearAddress = argumentCheck('loginPolicy.clearAddress', { clientIp: written });
export const checkIssue = argumentCheck('loginPolicy.issueDeviceToken', { ...account, replaces: written });
export const checkForget = argumentCheck('loginPolicy.forgetDevices', account);
export const checkExplain = argumentCheck('loginPolicy.explain', { ...account, clientIp: written });
