export { type Captcha, type CaptchaAnswer, type CaptchaRequest, type Captchas, createCaptchas } from './captchas.js';
export {
  CaptchaBusyError,
  CaptchaProviderUnavailableError,
  CaptchaRequestRefusedError,
  CaptchaSetupError,
} from './errors.js';
export { CAPTCHA_KINDS, type CaptchaKind } from './kinds.js';
export { CAPTCHA_DEFAULTS, type CaptchasOptions, type ExternalAnswer, type ExternalCaptchas } from './options.js';
export { PROOF_OF_WORK_DEFAULTS, type ProofOfWorkParameters } from './proof-of-work/index.js';
export type { ProofOfWorkChallenge } from './puzzle.js';
export { type CaptchaRefusalCode, refusals } from './refusals.js';
export type { CaptchaRenderer } from './renderer.js';
