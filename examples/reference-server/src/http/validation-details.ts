import type { FastifySchemaValidationError } from 'fastify';
import { formatTexts } from './body-formats.js';
import type { Language, Texts } from './language.js';
import type { PlaceFault } from './refusal.js';

type Describe = (parameter: unknown) => string;

/** Messages by keyword of JSON Schema. Their parameter comes from the schema, never from the client. */
const sentences: Readonly<Record<string, Readonly<Record<Language, Describe>>>> = {
  required: { en: () => 'is required', 'zh-CN': () => '必填' },
  additionalProperties: { en: () => 'is not an accepted property', 'zh-CN': () => '不是允许的属性' },
  type: { en: (type) => `has to be of type ${type}`, 'zh-CN': (type) => `类型必须为 ${type}` },
  minLength: {
    en: (limit) => `needs at least ${limit} ${limit === 1 ? 'character' : 'characters'}`,
    'zh-CN': (limit) => `至少 ${limit} 个字符`,
  },
  maxLength: { en: (limit) => `takes at most ${limit} characters`, 'zh-CN': (limit) => `最多 ${limit} 个字符` },
  minimum: { en: (limit) => `has to be at least ${limit}`, 'zh-CN': (limit) => `不得小于 ${limit}` },
  format: { en: describeFormat('en'), 'zh-CN': describeFormat('zh-CN') },
  maximum: { en: (limit) => `has to be at most ${limit}`, 'zh-CN': (limit) => `不得大于 ${limit}` },
};

function describeFormat(language: Language): Describe {
  return (format) =>
    (formatTexts(String(format)) ?? standardFormats[String(format)])?.[language] ?? otherwise[language];
}

/** The formats that every validator knows. */
const standardFormats: Readonly<Record<string, Texts>> = {
  'date-time': {
    en: 'has to be milliseconds since 1970, or a date and time with a zone, such as 2026-11-23T08:00:00Z',
    'zh-CN': '须为 1970 年以来的毫秒数，或带时区的日期时间，例如 2026-11-23T08:00:00Z',
  },
};

const otherwise: Readonly<Record<Language, string>> = { en: 'is not valid', 'zh-CN': '无效' };

/** The names of keyword parameters in Ajv. */
const parameterNames = ['limit', 'type', 'format'];

/** Maximum length of a returned pointer, in characters: it may contain a property name from the client. */
const MAX_POINTER_LENGTH = 128;

/** Converts schema errors to the `errors` of the answer (HTTP-2). */
export function placeFaults(findings: readonly FastifySchemaValidationError[], language: Language): PlaceFault[] {
  return withoutAlternatives(findings).map(({ keyword, instancePath, params }) => {
    const property = params.missingProperty ?? params.additionalProperty;
    const pointer = typeof property === 'string' ? `${instancePath}/${escapeToken(property)}` : instancePath;
    const parameter = parameterNames.map((name) => params[name]).find((value) => value !== undefined);
    return {
      pointer: pointer.slice(0, MAX_POINTER_LENGTH),
      detail: sentences[keyword]?.[language](parameter) ?? otherwise[language],
    };
  });
}

/**
 * Ajv reports each alternative of an `anyOf`, and then the `anyOf`. One error for one place is enough: that of the
 * format, which describes both alternatives of a time.
 */
function withoutAlternatives(findings: readonly FastifySchemaValidationError[]) {
  const placesOf = (wanted: string) =>
    new Set(findings.filter(({ keyword }) => keyword === wanted).map(({ instancePath }) => instancePath));
  const chosen = placesOf('anyOf');
  const formats = placesOf('format');
  return findings.filter(
    ({ keyword, instancePath }) => keyword === 'format' || !chosen.has(instancePath) || !formats.has(instancePath),
  );
}

/** RFC 6901, section 3. */
function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
