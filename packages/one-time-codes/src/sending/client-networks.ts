import { isIpAddress, networkKey, parseIp } from '@sallyport/plugin-kit/addresses';

/** RFC 6177, section 2: a site may have a /48, which contains 65 536 networks of subscriber size. */
const SITE_BITS = 48;

/**
 * The networks under which a client is counted, the narrowest first: an IPv4 address itself, an IPv6 address by its /64
 * and its /48.
 *
 * @throws {TypeError} if the text is not an IP address
 */
export function networksOf(clientIp: string): readonly [string, ...string[]] {
  const address = isIpAddress(clientIp) ? parseIp(clientIp) : null;
  if (address === null) throw new TypeError('one-time-codes: clientIp must be an IP address');
  const [subscriber, site] = [networkKey(address), networkKey(address, SITE_BITS)];
  return subscriber === site ? [subscriber] : [subscriber, site];
}
