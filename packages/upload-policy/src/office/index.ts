export { checkCompoundFile } from './compound-file.js';
export { checkOfficeContainer } from './office-container.js';
