export { checkValue, DEFAULT_MAX_LENGTH, rangeOf, valueText } from './check-value.js';
export { definitionFaults } from './definition-faults.js';
export {
  PARAMETER_UNITS,
  type ParameterGroup,
  type ParameterTexts,
  type ParameterUnit,
} from './definition-texts.js';
export {
  type BooleanDefinition,
  type ChangeContext,
  defineParameters,
  defineParameterTable,
  type NumberDefinition,
  type ParameterDefinition,
  type ParameterDefinitions,
  type ParameterProposal,
  type ParameterTable,
  type ParameterType,
  type ParameterValue,
  type ParameterValues,
  type StringDefinition,
} from './definitions.js';
