import { type Captcha, type CaptchaKind, type Captchas, createCaptchas } from '@sallyport/captcha';
import { counterKey } from '@sallyport/client-ip';
import type { TtlStore } from '@sallyport/ttl-store';
import type { Config } from '../../config/config.js';
import type { App } from '../../http/module.js';
import { CaptchaKindRefusedError } from './errors.js';
import { type CaptchaPurpose, captchaKindsParameters, kindsOf, proofOfWorkParameters } from './parameters.js';
import { openPictures } from './pictures.js';
import { createSiteverify } from './siteverify.js';

/** The members of a request about its captcha. */
export interface GivenAnswer {
  readonly key?: string | undefined;
  readonly code?: string | undefined;
  readonly proof?: string | undefined;
}

/** The captcha for a page. */
export interface ShownCaptcha extends Captcha {
  readonly enabled: true;
  /** The kinds that are accepted for this purpose. */
  readonly kinds: CaptchaKind[];
}

/** The captchas of this server. A parameter decides the accepted kinds for each purpose (CAP-1). */
export interface PurposeCaptchas {
  /**
   * Issues a captcha.
   *
   * @param kind default: the first accepted kind
   * @throws {CaptchaKindRefusedError} if the kind is not accepted
   */
  show(purpose: CaptchaPurpose, kind?: CaptchaKind): Promise<ShownCaptcha>;
  /**
   * Whether the answer is right, for this purpose and by a kind that is accepted now. Uses the captcha up.
   *
   * @throws {CaptchaBusyError} {@link CaptchaProviderUnavailableError}
   */
  isAnswered(purpose: CaptchaPurpose, answer: GivenAnswer, clientIp: string): Promise<boolean>;
}

export interface PurposeCaptchasOptions {
  readonly app: Pick<App, 'systemParameters' | 'addHook'>;
  readonly config: Pick<Config, 'captcha.verify-url' | 'captcha.verify-secret'>;
  readonly store: Pick<TtlStore, 'set' | 'take'>;
}

export function createPurposeCaptchas({ app, config, store }: PurposeCaptchasOptions): PurposeCaptchas {
  const engine: Captchas = createCaptchas({
    store,
    renderer: openPictures(app),
    proofOfWork: () => app.systemParameters.read(proofOfWorkParameters),
    external: createSiteverify(config),
  });

  async function sufficientKinds(purpose: CaptchaPurpose): Promise<CaptchaKind[]> {
    const { kinds } = await app.systemParameters.read(captchaKindsParameters[purpose]);
    return [...kindsOf(kinds)];
  }

  return {
    async show(purpose, wanted) {
      const kinds = await sufficientKinds(purpose);
      const kind = wanted ?? kinds[0];
      if (kind === undefined || !kinds.includes(kind)) throw new CaptchaKindRefusedError();
      return { enabled: true, ...(await engine.issue({ kind, purpose })), kinds };
    },

    async isAnswered(purpose, { key = '', code, proof }, clientIp) {
      const kinds = await sufficientKinds(purpose);
      return engine.redeem({ purpose, kinds, key, code, proof, clientIp, client: counterKey(clientIp) });
    },
  };
}
