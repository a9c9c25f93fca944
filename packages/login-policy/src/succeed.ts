import { checkSucceed, requireIp } from './call-arguments.js';
import { countersOf, type FailureCounters } from './counters/index.js';
import type { KnownDevices } from './devices/index.js';
import type { LoginAccount, LoginSubject } from './login-account.js';
import type { ValidPolicy } from './policy/index.js';

interface SucceedDependencies {
  readonly counters: FailureCounters;
  readonly devices: KnownDevices;
  readonly readPolicy: () => Promise<ValidPolicy>;
  readonly identify: (username: unknown, terminal: unknown) => LoginAccount;
}

/** The success of an attempt whose last step took place elsewhere. It has no place in a window any longer. */
export function createSucceed({ counters, devices, readPolicy, identify }: SucceedDependencies) {
  return async function succeed(subject: LoginSubject): Promise<void> {
    checkSucceed(subject);
    const account = identify(subject.username, subject.terminal);
    const address = requireIp('loginPolicy.succeed: subject.clientIp', subject.clientIp);
    const policy = await readPolicy();
    const own = countersOf(account, address, devices.digestOf(subject.deviceToken), policy);
    const observed = await counters.observe(own.device === null ? [own.subject] : [own.subject, own.device], account);
    await Promise.all(
      observed.map(async ({ counter, record, text }) => {
        // Attempts in flight lose their window, as after any success.
        if (record?.state === 'counting' && text !== null) await counters.endWindow({ counter, record, text });
      }),
    );
  };
}
