export { type AccessTokens, createAccessTokens, type IssuedToken } from './access-tokens.js';
export { createJwtCodec } from './jwt-codec.js';
export type { IssueInput } from './new-session.js';
export { presentedToken } from './presented-token.js';
export { logsQueryTokens, maskQueryToken } from './query-token.js';
