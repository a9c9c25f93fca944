// ADP-7, LGN-12, LGN-13: what an attempt takes and a clear answers, by types alone.
import { createLoginAttempts, type LoginSubject, type StillLocked } from '@sallyport/login-policy';
import { createMemoryStore } from '@sallyport/ttl-store';

const logins = createLoginAttempts({ store: createMemoryStore(), audience: 'admin' });
const subject: LoginSubject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7', deviceToken: undefined };

await logins.attempt(subject, async () => ({ id: 7 }), { precheck: async () => {} });
// @ts-expect-error a precheck refuses by rejecting, not by its result
await logins.attempt(subject, async () => ({ id: 7 }), { precheck: async () => false });
// @ts-expect-error misspelt
await logins.attempt({ ...subject, devicetoken: 'x' } satisfies LoginSubject, async () => ({ id: 7 }));

export const token: string = await logins.issueDeviceToken({ username: 'ada', replaces: subject.deviceToken });
const { stillLocked } = await logins.clear({ username: 'ada' });
export const locks: readonly StillLocked[] = stillLocked;
// @ts-expect-error an address is cleared by its own call
await logins.clear({ username: 'ada', clientIp: '192.0.2.7' });
await logins.forgetDevices({ username: 'ada' });
