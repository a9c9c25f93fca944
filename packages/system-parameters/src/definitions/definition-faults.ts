import { unknownNameFaults } from '@sallyport/plugin-kit/options';
import { checkValue, isSecretKey, MAX_STRING_LENGTH, typeLimits } from './check-value.js';
import { PARAMETER_UNITS, textFaults } from './definition-texts.js';
import type { NumberDefinition, ParameterDefinition, StringDefinition } from './definitions.js';

/** The longest key, which is shorter than the longest path parameter of Fastify's router. */
const MAX_KEY_LENGTH = 100;
const KEY = /^[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*$/;

const COMMON_MEMBERS = ['key', 'type', 'default', 'fallback', 'isPublic', 'description', 'translations', 'group'];
const STRING_MEMBERS = [...COMMON_MEMBERS, 'maxLength', 'values', 'check'];
const NUMBER_MEMBERS = [...COMMON_MEMBERS, 'minimum', 'maximum', 'unit'];

/**
 * All faults of one definition. The sentences begin with the key, or with the path if the key is wrong.
 *
 * @param path the position of the definition, such as `tables[0].definitions.isOpen`
 */
export function definitionFaults(definition: ParameterDefinition, path: string): string[] {
  const { key, type, description, isPublic } = definition;
  const isKey = typeof key === 'string' && key.length <= MAX_KEY_LENGTH && KEY.test(key);
  const faults = [
    ...(isKey ? [] : [`key must be lower-case words joined by . and -, at most ${MAX_KEY_LENGTH} characters`]),
    ...(typeof description === 'string' && description.trim() !== '' ? [] : ['description must not be blank']),
    ...(typeof isPublic === 'boolean' ? [] : ['isPublic must be true or false']),
    ...textFaults(definition),
    ...shapeFaults(definition),
  ];
  if (isKey && type === 'STRING' && isSecretKey(key)) {
    faults.push(
      'is the name of a secret; secrets are never parameters: give it through the environment or a key provider',
    );
  }
  return faults.map((fault) => (isKey ? `${key} ${fault}` : `${path}.${fault}`));
}

function shapeFaults(definition: ParameterDefinition): readonly string[] {
  switch (definition.type) {
    case 'STRING':
      return [
        ...unknownMembers(definition, STRING_MEMBERS),
        ...(stringFaults(definition) ?? startValueFaults(definition, 'string')),
      ];
    case 'INTEGER':
    case 'LONG':
      return [
        ...unknownMembers(definition, NUMBER_MEMBERS),
        ...unitFaults(definition),
        ...(rangeFaults(definition) ?? startValueFaults(definition, 'number')),
      ];
    case 'BOOLEAN':
      return [...unknownMembers(definition, COMMON_MEMBERS), ...startValueFaults(definition, 'boolean')];
    default:
      return ['type must be STRING, INTEGER, LONG or BOOLEAN'];
  }
}

/** A misspelt `fallback` or `minimum` would silently leave a protection off. */
function unknownMembers(definition: ParameterDefinition, known: readonly string[]): readonly string[] {
  return unknownNameFaults(Object.keys(definition), known);
}

/** `default` and `fallback` are values in their type, not texts, and obey the definition's own rules. */
function startValueFaults(definition: ParameterDefinition, type: 'string' | 'number' | 'boolean'): string[] {
  const given = { default: definition.default, ...('fallback' in definition && { fallback: definition.fallback }) };
  return Object.entries(given).flatMap(([name, value]) => {
    if (name === 'fallback' && value === undefined) return [];
    if (typeof value !== type) return [`${name} must be a ${type}`];
    const checked = checkValue(definition, value);
    return 'fault' in checked ? [`${name} ${checked.fault}`] : [];
  });
}

function stringFaults({ maxLength, values, check }: StringDefinition): string[] | null {
  const isLength = (value: number) => Number.isSafeInteger(value) && value >= 1 && value <= MAX_STRING_LENGTH;
  const faults = [
    ...(maxLength === undefined || isLength(maxLength)
      ? []
      : [`maxLength must be a whole number of characters from 1 to ${MAX_STRING_LENGTH}`]),
    ...(values === undefined || areValues(values) ? [] : ['values must be a list of different texts, at least one']),
    ...(check === undefined || typeof check === 'function' ? [] : ['check must be a function']),
  ];
  return faults.length > 0 ? faults : null;
}

function areValues(values: unknown): boolean {
  if (!Array.isArray(values) || values.length === 0) return false;
  return values.every((value, index) => typeof value === 'string' && values.indexOf(value) === index);
}

function unitFaults({ unit }: NumberDefinition): string[] {
  if (unit === undefined || Object.hasOwn(PARAMETER_UNITS, unit)) return [];
  return [`unit must be one of ${Object.keys(PARAMETER_UNITS).join(', ')}`];
}

function rangeFaults({ type, minimum, maximum }: NumberDefinition): string[] | null {
  const limits = typeLimits(type);
  const isInType = (value: number) => Number.isSafeInteger(value) && value >= limits.minimum && value <= limits.maximum;
  const bounds = Object.entries({ minimum, maximum }).flatMap(([name, value]) =>
    value === undefined || isInType(value) ? [] : [`${name} must be a whole number that fits ${type}`],
  );
  if (bounds.length > 0) return bounds;
  const isEmpty = (minimum ?? limits.minimum) > (maximum ?? limits.maximum);
  return isEmpty ? ['minimum must not be greater than maximum'] : null;
}
