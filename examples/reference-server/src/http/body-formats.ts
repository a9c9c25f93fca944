import { isIpAddress, parseRange } from '@sallyport/plugin-kit/addresses';
import type { Texts } from './language.js';

/** The data on which the format checks may depend. */
export interface KnownToFormats {
  /** Every permission code of the server. */
  readonly permissions: readonly string[];
}

/** A format for `format` in a schema, for rules that a pattern can't express. */
interface BodyFormat extends Texts {
  accepts(text: string, known: KnownToFormats): boolean;
}

const formats = new Map<string, BodyFormat>();

/**
 * Defines a format and returns its name, for schemas. (`password` is a name of OpenAPI and accepts every text.)
 *
 * @param format its texts become the `detail` for a text that does not match
 * @throws {TypeError} if the format is already defined
 */
export function defineBodyFormat<const Name extends string>(name: Name, format: BodyFormat): Name {
  if (formats.has(name)) throw new TypeError(`the format ${name} is defined twice`);
  formats.set(name, format);
  return name;
}

/** The formats in the form that Ajv expects. */
export function formatChecks(known: KnownToFormats): Record<string, (text: string) => boolean> {
  return Object.fromEntries(
    [...formats].map(([name, format]) => [name, (text: string) => format.accepts(text, known)]),
  );
}

/** Undefined if the format is not one of these. */
export function formatTexts(name: string): Texts | undefined {
  return formats.get(name);
}

/** An address without port and zone. A zone has a meaning only on one machine. */
export const ipAddressFormat = defineBodyFormat('ip-address', {
  accepts: isIpAddress,
  en: 'has to be an IP address',
  'zh-CN': '须为 IP 地址',
});

/** A range of addresses, such as `203.0.113.0/24`. */
export const ipNetworkFormat = defineBodyFormat('ip-network', {
  accepts: (text) => typeof parseRange(text) !== 'string',
  en: 'has to be a network, such as 203.0.113.0/24',
  'zh-CN': '须为网段，例如 203.0.113.0/24',
});
