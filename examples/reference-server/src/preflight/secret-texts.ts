import { type Config, type Property, variableOf } from '../config/config.js';
import { type Setting, settings } from '../config/settings.js';
import type { PreflightItem } from './preflight-item.js';

/** Shorter secrets are ignored, because they would match ordinary words. No accepted key or password is so short. */
const MIN_LENGTH = 4;

/** Minimum length of a part of an unreadable text: long enough not to match a word. */
const MIN_PART_LENGTH = 16;

/** Settings that are not secret as a whole, but may hold a password in their URL. */
const URLS = [
  'database-url',
  'redis-url',
  'notification.gateway.url',
  'audit.ndjson.url',
  'storage.s3.endpoint',
  'audit.witness.url',
  'captcha.verify-url',
  'audit.bucket.endpoint',
] as const;

/**
 * Every secret text of the configuration: keys, passwords and headers, each as a whole and in its parts.
 *
 * @param environment adds the secrets that could not be read
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
  // Names of keys and headers are not secret.
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
 * Removes all secret texts from an item. The server's checks never include any. This is a second safeguard, also for a
 * deployment's own checks and for messages of drivers.
 */
export function withoutSecrets(item: PreflightItem, secrets: readonly string[]): PreflightItem {
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return { ...item, finding: clean(item.finding), fix: clean(item.fix) };
}
