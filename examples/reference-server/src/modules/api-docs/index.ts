export { apiDocs, apiDocsPage } from './api-docs.js';
