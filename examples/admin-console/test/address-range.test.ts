import { describe, expect, it } from 'vitest';
import { excludesCaller } from '../../../packages/login-policy/src/index.js';
import { admits, parseAddress } from '../src/places/parameters/address-range.js';

const ADDRESSES = ['127.0.0.1', '192.0.2.7', '192.0.3.255', '::1', '2001:db8::7', '2001:db8:0:1::', '::ffff:192.0.2.7'];

const LISTS = [
  '',
  ' ',
  '192.0.2.7',
  '192.0.2.0/24, 2001:db8::/32',
  '192.0.2.0/23',
  '0.0.0.0/0',
  '::/0',
  '::ffff:192.0.2.0/120',
  '::ffff:c000:207',
  '2001:db8:0:1::/64',
  '2001:DB8::7',
  '::1,127.0.0.0/8',
  '10.0.0.0/8',
];

describe('the warning of a lock-out', () => {
  it.each(ADDRESSES)('LGN-8 judges %s as the service does, for each list', (text) => {
    const address = parseAddress(text);
    if (address === null) throw new Error(`${text} is an address`);
    for (const list of LISTS) {
      const isExcluded = excludesCaller({ ipWhitelistEnabled: true, ipWhitelistValues: list }, text);
      expect([list, admits(list, address)]).toEqual([list, !isExcluded]);
    }
  });

  it.each(['192.0.2', '192.0.2.256', '010.0.0.1', '2001:db8::g', 'fe80::1%eth0', 'localhost', '', '1:2:3:4:5:6:7'])(
    'takes %j for no address',
    (text) => {
      expect(parseAddress(text)).toBeNull();
    },
  );

  it.each(['192.0.2.7,', '192.0.2.0/33', '192.0.2.0/024', '::/129', '::ffff:0:0/95', '192.0.2.7/8/8', 'office'])(
    'says nothing of a list with the entry %j, which the service refuses',
    (entry) => {
      const address = parseAddress('192.0.2.7');
      expect(address === null ? 'none' : admits(`192.0.2.7, ${entry}`, address)).toBeNull();
    },
  );
});
