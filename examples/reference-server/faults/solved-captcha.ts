import { solve } from '@sallyport/captcha/client';
import { callFor } from './api-client.js';

/** What a proof of work costs while another thing is under test: an evaluation of 1 MiB for each puzzle. */
export const cheapProofs = {
  'auth.captcha.proof-of-work.cost': 6,
  'auth.captcha.proof-of-work.memory-mebibytes': 1,
};

/** Asks for a captcha and solves it, as a client does. @param purpose as in `for` */
export async function solvedCaptcha(origin: string, purpose: 'login' | 'register' | 'recover') {
  const audience = purpose === 'recover' ? 'app' : 'admin';
  const captcha = await callFor(200, origin, `/${audience}/auth/captcha?for=${purpose}&kind=proof-of-work`);
  return { key: captcha.key as string, proof: await solve(captcha) };
}
