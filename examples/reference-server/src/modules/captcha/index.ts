import { defineModule } from '../../http/module.js';
import { captchaParameterTable } from './parameters.js';

export { type Captchas, createCaptchas } from './captchas.js';
export { CaptchaInvalidError } from './errors.js';
export { captchaParameters } from './parameters.js';
export { captchaAnswer, captchaProof, shownCaptcha } from './schemas.js';
export { renderSvg } from './svg-renderer.js';

export const captcha = defineModule({ name: 'captcha', parameters: [captchaParameterTable] });
