import { type Config, type Property, variableOf } from '../config/config.js';
import { type Setting, settings } from '../config/settings.js';
import type { PreflightItem } from './preflight-item.js';

/** Shorter ones would be found in every other word; no key or password that passes has so few characters. */
const MIN_LENGTH = 4;

/** Parts of a text that may not even have been readable: long enough to be no word. */
const MIN_PART_LENGTH = 16;

/** Settings that aren't secret as a whole, but hold a password in their URL. */
const URLS = ['database-url', 'redis-url', 'notification.gateway.url', 'storage.s3.endpoint'] as const;

/**
 * Every text of the configuration that nobody may read: keys, passwords, headers, each as it stands and in its parts.
 *
 * @param environment where given, what could not be read is among them as well
 */
export function secretTexts(
  config: Config,
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly string[] {
  const secretProperties = (Object.entries(settings) as [Property, Setting<unknown>][])
    .filter(([, { secret }]) => secret === true)
    .map(([property]) => property);
  const given = [...secretProperties, ...URLS].flatMap((property) => environment[variableOf(property)] ?? []);
  const texts = [
    ...secretProperties.flatMap((property) => textsOf(config[property])),
    ...URLS.flatMap((property) => userInfo(config[property])),
    ...given,
    ...given.flatMap((text) => text.split(/[\s,:;"'{}]+/).filter((part) => part.length >= MIN_PART_LENGTH)),
    ...given.flatMap(userInfo),
  ];
  // The longest first: a key may be a part of another text.
  return [...new Set(texts)].filter((text) => text.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, value.replaceAll('\\n', '\n')];
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value);
    return [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('latin1')];
  }
  if (typeof value !== 'object' || value === null) return [];
  // The names of keys and headers are no secrets.
  return Object.entries(value).flatMap(([name, member]) =>
    /^(?:id|keyId|algorithm)$/.test(name) ? [] : textsOf(member),
  );
}

function userInfo(url: string | null): string[] {
  if (url === null || !URL.canParse(url)) return [];
  const { password } = new URL(url);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/**
 * The item without any of these texts. No check puts one there; this is the second net, for checks of other people as
 * well, and for messages of drivers.
 */
export function withoutSecrets(item: PreflightItem, secrets: readonly string[]): PreflightItem {
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return { ...item, finding: clean(item.finding), fix: clean(item.fix) };
}
