import { defineModule } from '../../http/module.js';
import { captchaKindsTables, captchaParameterTable, proofOfWorkParameterTable } from './parameters.js';

export { CaptchaInvalidError, CaptchaKindRefusedError } from './errors.js';
export { captchaParameters, withoutExternal } from './parameters.js';
export { createPurposeCaptchas, type PurposeCaptchas } from './purpose-captchas.js';
export { captchaAnswer, captchaKind, optionalCaptchaAnswer, shownCaptcha } from './schemas.js';

export const captcha = defineModule({
  name: 'captcha',
  parameters: [captchaParameterTable, proofOfWorkParameterTable, ...captchaKindsTables],
});
