import { randomBytes } from 'node:crypto';
import { sm3 } from '@sallyport/envelope-crypto/gm';
import { type Answer, inShort } from './answer.js';
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
  /** The file extension: `svg` or `png`. */
  readonly extension: string;
  /** Its number, for a person who reads several. */
  readonly number: number;
}

/** Key and answer of a captcha; empty if none is required. */
export interface CaptchaAnswer {
  readonly key?: string;
  readonly code?: string;
}

export interface SignIns {
  /** Whether a sign-in needs a captcha. */
  needsCaptcha(): Promise<boolean>;
  /** @throws NotRunError if a captcha is required and there is no reader */
  answerCaptcha(): Promise<CaptchaAnswer>;
  /** One attempt, with an answered captcha if one is required. */
  attempt(credentials: Credentials, more?: AttemptOptions): Promise<Answer>;
  /** A session. @throws NotRunError if the sign-in fails */
  open(credentials: Credentials): Promise<string>;
}

export interface AttemptOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** One that was answered before. */
  readonly captcha?: CaptchaAnswer;
  /** Of an earlier sign-in, or forged. */
  readonly deviceToken?: string;
  readonly isPatient?: boolean;
}

/** How often a person may mistype a captcha. */
const MAX_CAPTCHA_TRIES = 3;

/** A random password, as clients send it: the lower-case hex SM3 (ADM-7). */
export function newPassword(): string {
  return Buffer.from(sm3(randomBytes(24))).toString('hex');
}

export function createSignIns(deployment: Deployment, readCaptcha: CaptchaReader | null): SignIns {
  let count = 0;

  async function askCaptcha(): Promise<{ enabled: boolean; key: string; image: string }> {
    const answer = await deployment.call({ path: '/admin/auth/captcha' });
    const { enabled, key = '', image = '' } = answer.json?.data ?? {};
    if (answer.status !== 200 || typeof enabled !== 'boolean')
      throw new NotRunError(`could not ask for a captcha: ${inShort(answer)}`);
    return { enabled, key, image };
  }

  async function answerCaptcha(): Promise<CaptchaAnswer> {
    const { enabled, key, image } = await askCaptcha();
    if (!enabled) return {};
    if (readCaptcha === null) {
      throw new NotRunError('sign-in needs a captcha here: say who reads it, by --captcha ask or --captcha-command');
    }
    const [, type = '', data = ''] = /^data:image\/([a-z]+)[^,]*;base64,(.*)$/s.exec(image) ?? [];
    count += 1;
    const code = await readCaptcha({ bytes: Buffer.from(data, 'base64'), extension: type, number: count });
    return { key, code };
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

  return {
    needsCaptcha: async () => (await askCaptcha()).enabled,
    answerCaptcha,
    attempt,
    async open(credentials) {
      const answer = await attempt(credentials);
      const token: unknown = answer.json?.data?.token;
      if (answer.status === 200 && typeof token === 'string') return token;
      throw new NotRunError(`could not sign in a temporary administrator: ${inShort(answer)}`);
    },
  };
}
