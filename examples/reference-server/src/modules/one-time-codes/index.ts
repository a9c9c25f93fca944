import { defineModule } from '../../http/module.js';
import { smsParameterTable } from './parameters.js';

export { CaptchaRequiredError, MobileRegionRefusedError, SmsCodeWrongError, SmsLimitedError } from './errors.js';
export { smsParameters } from './parameters.js';
export { type SendCodeDependencies, sendCode } from './send-code.js';
export { createSendLimits, type SendLimits } from './send-limits.js';
export { createSmsCodes, type SmsCodes } from './sms-codes.js';

export const oneTimeCodes = defineModule({ name: 'one-time-codes', parameters: [smsParameterTable] });
