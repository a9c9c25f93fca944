import { checkValue, GREATEST_MAX_LENGTH, typeLimits } from './check-value.js';
import type { NumberDefinition, ParameterDefinition, StringDefinition } from './definitions.js';
import { isSecretKey } from './secret-shapes.js';

/** Within the longest path parameter that Fastify's router takes. */
const MAX_KEY_LENGTH = 100;
const KEY = /^[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*$/;

/** Every fault of one definition, each with the key in front. */
export function definitionFaults(definition: ParameterDefinition): string[] {
  const { key, type, description, isPublic } = definition;
  if (typeof key !== 'string' || key.length > MAX_KEY_LENGTH || !KEY.test(key)) {
    return [
      `${JSON.stringify(key)} is no key: lower-case words joined by . and -, at most ${MAX_KEY_LENGTH} characters`,
    ];
  }
  const faults = [
    ...(typeof description === 'string' && description.trim() !== '' ? [] : ['needs a description']),
    ...(typeof isPublic === 'boolean' ? [] : ['isPublic must be true or false']),
    ...shapeFaults(definition),
  ];
  if (type === 'STRING' && isSecretKey(key)) {
    faults.push(
      'is the name of a secret; secrets are never parameters: give it through the environment or a key provider',
    );
  }
  return faults.map((fault) => `${key} ${fault}`);
}

function shapeFaults(definition: ParameterDefinition): string[] {
  switch (definition.type) {
    case 'STRING':
      return stringFaults(definition) ?? startValueFaults(definition, 'string');
    case 'INTEGER':
    case 'LONG':
      return rangeFaults(definition) ?? startValueFaults(definition, 'number');
    case 'BOOLEAN':
      return startValueFaults(definition, 'boolean');
    default:
      return ['type must be STRING, INTEGER, LONG or BOOLEAN'];
  }
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

function stringFaults({ maxLength, check }: StringDefinition): string[] | null {
  const isLength = (value: number) => Number.isSafeInteger(value) && value >= 1 && value <= GREATEST_MAX_LENGTH;
  const faults = [
    ...(maxLength === undefined || isLength(maxLength)
      ? []
      : [`maxLength must be a whole number of characters from 1 to ${GREATEST_MAX_LENGTH}`]),
    ...(check === undefined || typeof check === 'function' ? [] : ['check must be a function']),
  ];
  return faults.length > 0 ? faults : null;
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
