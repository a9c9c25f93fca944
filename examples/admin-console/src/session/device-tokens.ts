import { hashPassword } from '@sallyport/api-client';

/** Of more accounts than a person has on one device, the one that signed in longest ago is forgotten. */
const MAX_ACCOUNTS = 8;

/**
 * Hexadecimal digits of the digest of a name. So few that thousands of names have the same ones: the storage does not
 * tell who signed in here. Two accounts of one device that have them share a place, and one of them is unknown.
 */
const MARK_LENGTH = 4;

const SALT = /^[0-9a-f]{32}$/;

/** The tokens of this device: with that of an account, a stranger's guesses do not lock its owner out. */
export interface DeviceTokens {
  /** The member of a request that names the device. None before the first sign-in to the account here. */
  memberOf(account: string): { readonly deviceToken?: string };
  /** Keeps the token of an answer, which replaces the account's last one. */
  keep(account: string, token: string): void;
}

/**
 * @param keptAt the name in the storage
 * @param normalize writes a name as the service compares it
 */
export function openDeviceTokens(
  keptAt: string,
  normalize: (account: string) => string,
  storage: () => Pick<Storage, 'getItem' | 'setItem'> = () => localStorage,
): DeviceTokens {
  /** A line with the salt of the marks, then one of each account, the newest last: its mark and its token. */
  function read() {
    const [salt = '', ...lines] = (storage().getItem(keptAt) ?? '').split('\n');
    return SALT.test(salt) ? { salt, lines } : { salt: crypto.randomUUID().replaceAll('-', ''), lines: [] };
  }

  const startOf = (salt: string, account: string) =>
    `${hashPassword(`${salt} ${normalize(account)}`).slice(0, MARK_LENGTH)} `;

  return {
    memberOf(account) {
      const { salt, lines } = read();
      const start = startOf(salt, account);
      const line = lines.find((each) => each.startsWith(start));
      return line === undefined ? {} : { deviceToken: line.slice(start.length) };
    },
    keep(account, token) {
      const { salt, lines } = read();
      const start = startOf(salt, account);
      const others = lines.filter((each) => !each.startsWith(start));
      const kept = [...others, `${start}${token}`].slice(-MAX_ACCOUNTS);
      storage().setItem(keptAt, [salt, ...kept].join('\n'));
    },
  };
}

/**
 * The name of an administrator as the service compares it. Lower case may be composed where upper case is not, such as
 * U+1E96, so that it is normalised again.
 */
export function comparedName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}

/** Those of administrators. */
export const adminDevices = openDeviceTokens('sallyport.device', comparedName);
