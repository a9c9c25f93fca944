import { type CaptchaToSolve, solve } from '@sallyport/captcha/client';
import type { ApiAnswer } from '../api-client.js';
import type { AnsweredCaptchas } from './results.js';

/** For what a captcha is. */
export type CaptchaPurpose = 'login' | 'register' | 'sms' | 'recover';

/** Whose sign-in asks for it: the part of the path. */
export type CaptchaAudience = 'admin' | 'app';

/** What a request carries as its answer to a captcha. */
export interface CaptchaAnswer {
  readonly key: string;
  readonly code?: string;
  readonly proof?: string;
}

/** How an attacker or an honest user answers captchas. */
export interface CaptchaHand extends AnsweredCaptchas {
  readonly kind: 'image' | 'proof-of-work';
  /** Fetches a captcha, and resolves to the answer; null if none could be fetched. */
  answer(from: string, audience: CaptchaAudience, purpose: CaptchaPurpose): Promise<CaptchaAnswer | null>;
}

/** Makes hands. People read every picture, programs a share of them, and anybody can do a proof of work. */
export interface CaptchaDesk {
  person(): CaptchaHand;
  reader(share: number): CaptchaHand;
  prover(): CaptchaHand;
}

type Call = (from: string, path: string) => Promise<ApiAnswer>;

/** Reads the text of a captcha from the store of the nodes, since no program is to read the picture. */
export type ReadAnswer = (key: string) => Promise<string | null>;

/** A text that no captcha has: its letters look like others, so none is drawn. */
const WRONG_CODE = '00000';

const MICROS_PER_MILLI = 1000;

export function createCaptchaDesk(call: Call, readAnswer: ReadAnswer): CaptchaDesk {
  async function fetchCaptcha(from: string, audience: CaptchaAudience, purpose: CaptchaPurpose, kind: string) {
    const { status, data } = await call(from, `/${audience}/auth/captcha?for=${purpose}&kind=${kind}`);
    return status === 200 && data.key !== undefined ? data : null;
  }

  function hand(
    kind: CaptchaHand['kind'],
    work: (
      captcha: CaptchaToSolve & { readonly key: string },
      count: (cpuMillis?: number) => void,
    ) => Promise<CaptchaAnswer>,
  ) {
    const counts = { fetched: 0, right: 0, cpuMillis: 0 };
    const answer: CaptchaHand['answer'] = async (from, audience, purpose) => {
      const captcha = await fetchCaptcha(from, audience, purpose, kind);
      if (captcha === null) return null;
      counts.fetched += 1;
      return work(captcha, (cpuMillis = 0) => {
        counts.right += 1;
        counts.cpuMillis += cpuMillis;
      });
    };
    return Object.assign(counts, { kind, answer });
  }

  function reader(share: number): CaptchaHand {
    return hand('image', async ({ key }, countRight) => {
      const isRead = Math.random() < share;
      const code = isRead ? await readAnswer(key) : null;
      if (code === null) return { key, code: WRONG_CODE };
      countRight();
      return { key, code };
    });
  }

  return {
    person: () => reader(1),
    reader,
    prover: () =>
      hand('proof-of-work', async (captcha, countRight) => {
        const before = process.cpuUsage();
        const proof = await solve(captcha);
        const { user, system } = process.cpuUsage(before);
        countRight((user + system) / MICROS_PER_MILLI);
        return { key: captcha.key, proof };
      }),
  };
}
