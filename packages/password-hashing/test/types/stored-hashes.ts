// ADP-7: what is passed for an account without a password is null. An account that was not found, and a column that
// was not selected, are undefined, which does not compile.
import { createPasswordHashing, isHashable, type PasswordHashing } from '@sallyport/password-hashing';
import Fastify from 'fastify';

interface User {
  readonly passwordHash: string | null;
}
declare const user: User | undefined;

const app = Fastify();
export const passwords: PasswordHashing = createPasswordHashing({ cost: 12, log: app.log });

export const isRight: boolean = await passwords.verify('secret', user?.passwordHash ?? null, '192.0.2.1');
// @ts-expect-error: undefined is not null
await passwords.verify('secret', user?.passwordHash);
// @ts-expect-error: the arguments are in this order: password, hash
await passwords.verify(null, 'secret');
// @ts-expect-error: a misspelt option
createPasswordHashing({ maxCosts: 14 });
// @ts-expect-error: a number, not a text
createPasswordHashing({ cost: '12' });

const body: unknown = {};
export const isGood: boolean = isHashable(body) && passwords.isOutdated(user?.passwordHash ?? null);
