import { openDeviceTokens } from '../../session/device-tokens.js';

/** A number without its country code, which users leave out: the same in each way to write it. */
const DIGITS = 11;

/** Those of app users. The account is a number as it was typed, or as the service writes it. */
export const appDevices = openDeviceTokens('sallyport.app-device', (mobile) =>
  mobile.normalize('NFKC').replace(/\D/g, '').slice(-DIGITS),
);
