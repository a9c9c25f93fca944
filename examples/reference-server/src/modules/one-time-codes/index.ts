import { defineModule } from '../../http/module.js';
import { smsParameterTable } from './parameters.js';

export { MobileRegionRefusedError, SmsCodeWrongError, SmsLimitedError } from './errors.js';
export { type MessageServices, openMessageServices } from './message-services.js';
export { smsParameters } from './parameters.js';
export { openStoredCodes, type SmsCodes } from './sms-codes.js';

export const oneTimeCodes = defineModule({ name: 'one-time-codes', parameters: [smsParameterTable] });
