import { randomBytes } from 'node:crypto';
import { type Answer, inShort, must } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { roomForFailures } from '../failure-room.js';
import { NotRunError } from '../not-run.js';
import { newPassword } from '../sign-ins.js';

/**
 * Wrong guesses beyond the allowed number. Few, because a person may have to read a captcha for each, and because a
 * server that verifies them all must not meet the bound of hashings per client, whose 503 would hide it.
 */
const MORE_GUESSES = 2;

/** How often a new account is tried if the rate limit of sign-ins interfered. */
const MAX_ROUNDS = 3;

const parallelGuesses: AcceptanceCheck = {
  id: 'sign-in.guesses',
  title:
    'of parallel wrong guesses exactly as many are verified as failures are allowed; then the name is locked, for the right password too',
  async run(context) {
    const { deployment, operator, signIns, temporaries, did, hole } = context;
    for (let round = 1; ; round += 1) {
      const account = await temporaries.administrator();
      const { limit } = await roomForFailures(context, account.username, (failures) => failures + MORE_GUESSES);
      const answers = await guessInParallel(context, account.username, limit + MORE_GUESSES);
      const limited = answers.filter(({ code }) => code === 'RATE_LIMITED');
      if (answers.length - limited.length <= limit) {
        if (round >= MAX_ROUNDS)
          throw new NotRunError(`the rate limit of sign-ins lets fewer through than ${limit + 1} at a time`);
        await context.sleep(waitOf(limited));
        continue;
      }
      const verified = answers.filter(({ code }) => code === 'LOGIN_FAILED').length;
      const locked = answers.filter(({ code }) => code === 'LOGIN_LOCKED').length;
      if (verified !== limit) {
        hole(
          `of ${answers.length} parallel wrong guesses ${verified} were verified, and not ${limit}: ${tally(answers)}`,
        );
      }
      if (verified + locked + limited.length !== answers.length)
        hole(`parallel wrong guesses were answered ${tally(answers)}`);
      const right = await signIns.attempt(account);
      if (right.code !== 'LOGIN_LOCKED') hole(`while locked, the right password is answered ${inShort(right)}`);
      if (right.code === 'LOGIN_LOCKED' && right.headers.get('retry-after') === null)
        hole('a lock comes without Retry-After');
      const forged = await signIns.attempt(account, { deviceToken: randomBytes(32).toString('base64url') });
      if (forged.code !== 'LOGIN_LOCKED') hole(`while locked, a forged device token is answered ${inShort(forged)}`);
      const clear = { username: account.username, terminal: 'web' };
      const path = '/admin/auth/clearLoginLimit';
      must(await deployment.call({ method: 'POST', path, body: clear, token: operator.token }), 200, 'clear the lock');
      const cleared = await signIns.attempt(account);
      if (cleared.status !== 200)
        hole(`after the lock was cleared, the right password is answered ${inShort(cleared)}`);
      did(
        `${answers.length} guesses at a temporary account: ${tally(answers)}; right password: ${inShort(right)}; cleared: ${inShort(cleared)}`,
      );
      return;
    }
  },
};

/** Each request claims another address. */
async function guessInParallel({ signIns }: CheckContext, username: string, count: number): Promise<Answer[]> {
  const captchas = [];
  for (let i = 0; i < count; i += 1) captchas.push(await signIns.answerCaptcha());
  return Promise.all(
    captchas.map((captcha, i) => {
      const address = `192.0.2.${i + 1}`;
      const headers = { 'x-forwarded-for': address, 'x-real-ip': address };
      return signIns.attempt({ username, password: newPassword() }, { captcha, headers, isPatient: false });
    }),
  );
}

function tally(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(inShort(answer), (counts.get(inShort(answer)) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ');
}

function waitOf(limited: readonly Answer[]): number {
  const seconds = limited.map(({ json }) => Number(json?.retryAfterSeconds ?? 1));
  return Math.max(1, ...seconds) * 1000;
}

const sameAnswer: AcceptanceCheck = {
  id: 'sign-in.names',
  title: 'an unknown name and a wrong password get the same answer',
  async run(context) {
    const { signIns, temporaries, did, hole } = context;
    const account = await temporaries.administrator();
    await roomForFailures(context, account.username, () => 2);
    const wrong = await signIns.attempt({ username: account.username, password: newPassword() });
    const unknown = await signIns.attempt({ username: temporaries.name(), password: newPassword() });
    const seen = ({ status, json }: Answer) => JSON.stringify([status, { ...json, requestId: null }]);
    if (wrong.status !== 401) hole(`a wrong password is answered ${inShort(wrong)}, and not 401`);
    if (seen(wrong) !== seen(unknown))
      hole(`a wrong password is answered ${seen(wrong)}, an unknown name ${seen(unknown)}`);
    did(`wrong password: ${inShort(wrong)}; unknown name: ${inShort(unknown)}`);
  },
};

const terminals: AcceptanceCheck = {
  id: 'sign-in.terminals',
  title: 'a terminal that nobody knows is refused, so that it opens no counter of its own',
  async run({ deployment, temporaries, did, hole }) {
    const account = await temporaries.administrator();
    const { username, password } = account;
    for (const terminal of ['x1', 'app', '', 'web\u0000']) {
      const body = { username, password, terminal };
      const answer = await deployment.call({ method: 'POST', path: '/admin/auth/login', body });
      if (answer.status !== 400)
        hole(`a sign-in from the terminal ${JSON.stringify(terminal)} is answered ${inShort(answer)}`);
    }
    did('tried four terminals that there are not');
  },
};

export const signInChecks: readonly AcceptanceCheck[] = [parallelGuesses, sameAnswer, terminals];
