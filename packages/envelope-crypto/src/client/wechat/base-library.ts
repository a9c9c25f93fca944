import { EnvelopeClientSetupError } from '../errors.js';
import type { WechatApi } from './wechat-api.js';

/** From this base library on, `wx.request` has an option against following redirects. */
const MANUAL_REDIRECTS_SINCE = '3.2.2';

/**
 * Refuses an older base library, because it would follow a redirect with the envelope and the token. A base library
 * without a version is accepted.
 */
export function requireManualRedirects(wx: WechatApi): void {
  const { SDKVersion: version } = wx.getAppBaseInfo?.() ?? wx.getSystemInfoSync?.() ?? {};
  if (version === undefined || !isOlder(version, MANUAL_REDIRECTS_SINCE)) return;
  const fault = `wx must be of base library ${MANUAL_REDIRECTS_SINCE} or later, not ${version}, which follows redirects`;
  throw new EnvelopeClientSetupError('createWechatClient', [fault]);
}

function isOlder(version: string, than: string): boolean {
  const expected = than.split('.').map(Number);
  const actual = version.split('.').map(Number);
  const place = expected.findIndex((number, i) => number !== (actual[i] ?? 0));
  return place >= 0 && (actual[place] ?? 0) < expected[place]!;
}
