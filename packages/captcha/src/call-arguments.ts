import { anything, argumentCheck, option, optional } from '@sallyport/plugin-kit/options';

/** The call itself checks the values that come from a client or a query. */
const written = anything();

const clientIp = option({
  meaning: 'a text, such as request.ip',
  accepts: (value) => typeof value === 'string',
});

const client = option({
  meaning: 'a text, such as counterKey(request.clientIp)',
  accepts: (value) => typeof value === 'string',
});

export const checkIssue = argumentCheck('captchas.issue', { kind: written, purpose: written });
export const checkRedeem = argumentCheck('captchas.redeem', {
  purpose: written,
  kinds: written,
  key: written,
  code: written,
  proof: written,
  clientIp: optional(clientIp),
  client: optional(client),
});
