import { randomBytes } from 'node:crypto';
import { type CaptchaToSolve, solve } from '@sallyport/captcha/client';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { totpCodeAt } from '@sallyport/second-factor';
import { type Answer, inShort, must } from './answer.js';
import type { Deployment } from './deployment.js';
import { NotRunError } from './not-run.js';

/** Credentials, with the password as clients send it. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** An account and a session of it. */
export interface HeldAccount extends Credentials {
  readonly id: string;
  readonly token: string;
}

/** Reads a captcha, or has it read. Resolves to what its image shows. */
export type CaptchaReader = (image: CaptchaImage) => Promise<string>;

export interface CaptchaImage {
  readonly bytes: Buffer;
  /** The file extension: `png` or `webp`. */
  readonly extension: string;
  /** Its number, for a person who reads several. */
  readonly number: number;
}

/** Key and answer of a captcha; empty if none is required. */
export interface CaptchaAnswer {
  readonly key?: string;
  readonly code?: string;
  readonly proof?: string;
}

/** What the server shows. */
interface ShownCaptcha extends CaptchaToSolve {
  readonly enabled: boolean;
  readonly kind?: string;
  readonly image?: string;
}

export interface SignIns {
  /**
   * Solves a proof of work, where one suffices; else a person or a program reads a picture.
   *
   * @throws NotRunError if a picture is required and there is no reader
   */
  answerCaptcha(): Promise<CaptchaAnswer>;
  /** One attempt, with an answered captcha if one is required. */
  attempt(credentials: Credentials, more?: AttemptOptions): Promise<Answer>;
  /** A session. @throws NotRunError if the sign-in fails */
  open(credentials: Credentials): Promise<string>;
  /**
   * The session of a sign-in whose password was right. Where the deployment demands a second factor, the account gets
   * one, and its later sign-ins are confirmed by its recovery codes.
   *
   * @throws NotRunError if there is none
   */
  finish(username: string, answer: Answer): Promise<string>;
}

export interface AttemptOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** One that was answered before. */
  readonly captcha?: CaptchaAnswer;
  /** Of an earlier sign-in, or forged. */
  readonly deviceToken?: string;
  readonly isPatient?: boolean;
}

/** The second factor of an account that the run has made. */
interface TemporaryFactor {
  readonly secret: string;
  /** The last step that a code was given for. */
  step: number;
  recoveryCodes: string[];
}

/** RFC 6238, section 4.1: a step of the codes of an authenticator app. */
const STEP_MILLIS = 30_000;

/** How often a person may mistype a captcha. */
const MAX_CAPTCHA_TRIES = 3;

/** A random password, as clients send it: the lower-case hex SM3 (ADM-7). */
export function newPassword(): string {
  return Buffer.from(sm3(randomBytes(24))).toString('hex');
}

export function createSignIns(deployment: Deployment, readCaptcha: CaptchaReader | null): SignIns {
  let count = 0;

  async function askCaptcha(query = ''): Promise<ShownCaptcha | null> {
    const answer = await deployment.call({ path: `/admin/auth/captcha${query}` });
    if (answer.status === 400 && query !== '') return null;
    const { enabled } = answer.json?.data ?? {};
    if (answer.status !== 200 || typeof enabled !== 'boolean')
      throw new NotRunError(`could not ask for a captcha: ${inShort(answer)}`);
    return answer.json?.data as ShownCaptcha;
  }

  /** A captcha that needs nobody to look at it, if the operator allows one. */
  async function anyCaptcha(): Promise<ShownCaptcha> {
    const captcha = (await askCaptcha('?kind=proof-of-work')) ?? (await askCaptcha());
    return captcha ?? { enabled: false };
  }

  async function answerCaptcha(): Promise<CaptchaAnswer> {
    const captcha = await anyCaptcha();
    if (!captcha.enabled) return {};
    const { key = '', kind, image, challenge } = captcha;
    if (kind === 'external')
      throw new NotRunError('sign-in needs the captcha of a provider here, which only pages answer');
    const code = image === undefined ? undefined : await readImage(image);
    const proof = challenge === undefined ? undefined : await solve(captcha);
    return { key, ...(code !== undefined && { code }), ...(proof !== undefined && { proof }) };
  }

  async function readImage(image: string): Promise<string> {
    if (readCaptcha === null) {
      throw new NotRunError('sign-in needs a captcha here: say who reads it, by --captcha ask or --captcha-command');
    }
    const [, type = '', data = ''] = /^data:image\/([a-z]+)[^,]*;base64,(.*)$/s.exec(image) ?? [];
    count += 1;
    return readCaptcha({ bytes: Buffer.from(data, 'base64'), extension: type, number: count });
  }

  async function attempt(
    { username, password }: Credentials,
    { headers = {}, captcha, deviceToken, isPatient = true }: AttemptOptions = {},
  ): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await deployment.call({
        method: 'POST',
        path: '/admin/auth/login',
        body: { username, password, terminal: 'web', deviceToken, ...(captcha ?? (await answerCaptcha())) },
        headers,
        isPatient,
      });
      const wasMisread = answer.code === 'CAPTCHA_INVALID' && captcha === undefined && readCaptcha !== null;
      if (!wasMisread || tries >= MAX_CAPTCHA_TRIES) return answer;
    }
  }

  const factors = new Map<string, TemporaryFactor>();
  const post = (path: string, token: string, body: object = {}) =>
    deployment.call({ method: 'POST', path, token, body });

  /** A code of a step that gave none. The service takes the next step, too; one of the last can arrive too late. */
  function nextCode(factor: TemporaryFactor): string {
    factor.step = Math.max(factor.step + 1, Math.floor(Date.now() / STEP_MILLIS));
    return totpCodeAt(factor.secret, factor.step * STEP_MILLIS);
  }

  /** Recovery codes need not wait for a step. Who has to change the password first gets none yet. */
  async function makeRecoveryCodes(factor: TemporaryFactor, token: string): Promise<void> {
    const made = await post('/auth/second-factors/recovery-codes', token);
    if (made.code === 'PASSWORD_CHANGE_REQUIRED') return;
    factor.recoveryCodes = [...(must(made, 201, 'make recovery codes').json?.data?.codes ?? [])];
  }

  async function enrol(username: string, pending: string): Promise<string> {
    const begun = must(await post('/auth/second-factors/totp', pending), 200, 'begin a second factor');
    const { id, secret } = begun.json?.data ?? {};
    const factor: TemporaryFactor = { secret: String(secret), step: Number.NEGATIVE_INFINITY, recoveryCodes: [] };
    const path = `/auth/second-factors/totp/${encodeURIComponent(String(id))}/confirm`;
    const confirmed = must(await post(path, pending, { code: nextCode(factor) }), 200, 'confirm a second factor');
    const token = String(confirmed.json?.data?.signIn?.token);
    factors.set(username, factor);
    await makeRecoveryCodes(factor, token);
    return token;
  }

  async function prove(username: string, pending: string): Promise<string> {
    const factor = factors.get(username);
    if (factor === undefined) throw new NotRunError('a temporary administrator has a second factor of another one');
    const recoveryCode = factor.recoveryCodes.shift();
    const body =
      recoveryCode === undefined
        ? { kind: 'totp', code: nextCode(factor) }
        : { kind: 'recovery-code', code: recoveryCode };
    const proven = must(await post('/auth/second-factor', pending, body), 200, 'confirm a sign-in');
    const token = String(proven.json?.data?.token);
    if (factor.recoveryCodes.length === 0) await makeRecoveryCodes(factor, token);
    return token;
  }

  async function finish(username: string, answer: Answer): Promise<string> {
    const { token, secondFactor } = answer.json?.data ?? {};
    if (answer.status !== 200 || typeof token !== 'string')
      throw new NotRunError(`could not sign in a temporary administrator: ${inShort(answer)}`);
    if (secondFactor === undefined) return token;
    return secondFactor.mustEnrol === true ? enrol(username, token) : prove(username, token);
  }

  return {
    answerCaptcha,
    attempt,
    open: async (credentials) => finish(credentials.username, await attempt(credentials)),
    finish,
  };
}
