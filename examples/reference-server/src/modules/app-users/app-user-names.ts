import { eq, inArray } from 'drizzle-orm';
import type { Config } from '../../config/config.js';
import { maskMobile, parseMobile } from '../../http/mobile-number.js';
import { type ReadableDatabase, withinLimit } from '../../storage/database.js';
import { appUsers } from './table.js';

/** The functions about app users for other modules. */
export interface AppUserNames {
  /** Whether the text is a number, even without a user. */
  isNumber(text: string): boolean;
  /** The id of the user with this number, in any spelling. Null if there is none, or if it is not a number. */
  idOf(mobile: string): Promise<string | null>;
  /** The number of this user. Null if there is none. For decisions; administrators see it masked. */
  numberOf(id: string): Promise<string | null>;
  /** The masked numbers of these users, by id. Administrators do not need the whole numbers. */
  namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export function createAppUserNames(
  { reading }: ReadableDatabase,
  config: Pick<Config, 'app.auth.default-region'>,
): AppUserNames {
  const { id, mobile } = appUsers;
  const parse = (text: string) => parseMobile(text, config['app.auth.default-region']);
  return {
    isNumber: (text) => parse(text) !== null,
    async idOf(text) {
      const number = parse(text);
      if (number === null) return null;
      const found = await withinLimit(reading.select({ id }).from(appUsers).where(eq(mobile, number)));
      return found[0]?.id ?? null;
    },
    async numberOf(user) {
      const found = await withinLimit(reading.select({ mobile }).from(appUsers).where(eq(id, user)));
      return found[0]?.mobile ?? null;
    },
    async namesOf(ids) {
      if (ids.length === 0) return new Map();
      const found = reading
        .select({ id, mobile })
        .from(appUsers)
        .where(inArray(id, [...ids]));
      return new Map((await withinLimit(found)).map((row) => [row.id, maskMobile(row.mobile)]));
    },
  };
}
