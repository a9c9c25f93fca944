import { defineModule } from '../../http/module.js';
import { smsParameterTable } from './parameters.js';

export { MobileRegionRefusedError, SmsCodeWrongError, SmsLimitedError } from './errors.js';
export { smsParameters } from './parameters.js';
export { recordCodeEvents } from './record-events.js';
export { createSmsCodes, openStoredCodes, type SmsCodes } from './sms-codes.js';

export const oneTimeCodes = defineModule({ name: 'one-time-codes', parameters: [smsParameterTable] });
