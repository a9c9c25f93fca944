/** The longest line of {@link compactJson}, where there is a choice. */
const MAX_LINE = 120;

/** Members at this depth stand in one line, however long: the members of an operation are. */
const MAX_DEPTH = 4;

/**
 * JSON text for a file under version control: a change of an operation changes a line, and indentation does not make
 * the document half as large again.
 *
 * @param {unknown} value
 * @param {number} depth
 * @param {number} prefix length of what stands before the value in its line
 * @returns {string}
 */
export function compactJson(value, depth = 0, prefix = 0) {
  const line = inLine(value);
  const isShort = 2 * depth + prefix + line.length <= MAX_LINE;
  if (isShort || typeof value !== 'object' || value === null) return line;
  if (depth === MAX_DEPTH) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((each) => compactJson(each, depth + 1))
    : Object.entries(value).map(([name, each]) => {
        const key = `${JSON.stringify(name)}: `;
        return `${key}${compactJson(each, depth + 1, key.length)}`;
      });
  const [open, close] = isList ? '[]' : '{}';
  const indent = '  '.repeat(depth);
  return `${open}\n${members.map((member) => `${indent}  ${member}`).join(',\n')}\n${indent}${close}`;
}

/** @returns {string} */
function inLine(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${inLine(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
