import { sm3 } from '@sallyport/envelope-crypto/gm';
import { type Answer, inShort } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { roomForFailures } from '../failure-room.js';
import { NotRunError } from '../not-run.js';
import { newPassword } from '../sign-ins.js';

/** On every list of common passwords. */
const COMMON_PASSWORDS = ['password', 'qwerty123'] as const;

/** The wrong passwords that the check tries, which count as failed sign-ins. */
const WRONG_TRIES = 4;

const ownPassword: AcceptanceCheck = {
  id: 'passwords.change',
  title: 'the own password is changed by who knows it, to one that is not common, and then it alone signs in, as it is',
  parts: ['current', 'common', 'effect', 'exact'],
  async run(context) {
    const { signIns, temporaries, did, hole } = context;
    const account = await temporaries.administrator();
    const { limit } = await roomForFailures(context, account.username, () => WRONG_TRIES);
    if (limit <= WRONG_TRIES)
      throw new NotRunError(`a name is locked after ${limit} failures, before they are all tried`);
    const token = await signIns.open(account);
    const attempts: string[] = [];

    const guess = { oldPassword: newPassword(), newPassword: newPassword() };
    const unknowing = await change(context, token, guess);
    if (isDone(unknowing)) hole(`without the current password a change is answered ${inShort(unknowing)}`, 'current');
    const held = { ...account, password: isDone(unknowing) ? guess.newPassword : account.password };

    for (const common of COMMON_PASSWORDS) {
      const chosen = Buffer.from(sm3(Buffer.from(common))).toString('hex');
      const answer = await change(context, token, { oldPassword: held.password, newPassword: chosen });
      if (!isDone(answer)) continue;
      hole(`the common password ${common} is accepted: ${inShort(answer)}`, 'common');
      held.password = chosen;
      break;
    }

    const session = await signIns.open(held);
    const chosen = newPassword();
    const changed = await change(context, session, { oldPassword: held.password, newPassword: chosen });
    if (!isDone(changed)) hole(`with the current password a change is answered ${inShort(changed)}`, 'effect');
    const tries: readonly (readonly [what: string, part: string, password: string])[] = [
      ['the password before', 'effect', held.password],
      ['the new password in upper case', 'exact', chosen.toUpperCase()],
      ['the new password without its end', 'exact', chosen.slice(0, -1)],
    ];
    for (const [what, part, password] of tries) {
      const answer = await signIns.attempt({ ...account, password });
      attempts.push(`${what}: ${inShort(answer)}`);
      if (answer.status === 200) hole(`after the change ${what} signs in`, part);
    }
    const right = await signIns.attempt({ ...account, password: chosen });
    if (right.status !== 200) hole(`after the change the new password is answered ${inShort(right)}`, 'effect');
    did(`wrong current password: ${inShort(unknowing)}; ${attempts.join('; ')}; the new one: ${inShort(right)}`);
  },
};

interface PasswordChange {
  readonly oldPassword: string;
  readonly newPassword: string;
}

function change({ deployment }: CheckContext, token: string, body: PasswordChange): Promise<Answer> {
  return deployment.call({ method: 'PUT', path: '/admin/profile/password', token, body });
}

const isDone = ({ status }: Answer) => status === 200 || status === 204;

export const passwordChecks: readonly AcceptanceCheck[] = [ownPassword];
