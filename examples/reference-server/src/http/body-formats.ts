import { isIP } from 'node:net';
import type { Texts } from './language.js';

/** What the server knows when a text is judged. */
export interface KnownToFormats {
  /** Every permission code of the server. */
  readonly permissions: readonly string[];
}

/** A format of this server's own for `format` in a schema, where a pattern can't say it. */
interface BodyFormat extends Texts {
  accepts(text: string, known: KnownToFormats): boolean;
}

const formats = new Map<string, BodyFormat>();

/**
 * Yields the name, for schemas. (`password` is a name of OpenAPI, and accepts all.)
 *
 * @param format its texts are what people read when a text doesn't have it
 * @throws {TypeError} if the format is defined already
 */
export function defineBodyFormat<const Name extends string>(name: Name, format: BodyFormat): Name {
  if (formats.has(name)) throw new TypeError(`the format ${name} is defined twice`);
  formats.set(name, format);
  return name;
}

/** The formats as Ajv takes them. */
export function formatChecks(known: KnownToFormats): Record<string, (text: string) => boolean> {
  return Object.fromEntries(
    [...formats].map(([name, format]) => [name, (text: string) => format.accepts(text, known)]),
  );
}

/** Undefined: no format of ours. */
export function formatTexts(name: string): Texts | undefined {
  return formats.get(name);
}

/** An address alone: no port, and no zone, which means something on its own machine only. */
export const ipAddressFormat = defineBodyFormat('ip-address', {
  accepts: (text) => isIP(text) !== 0 && !text.includes('%'),
  en: 'has to be an IP address',
  'zh-CN': '须为 IP 地址',
});
