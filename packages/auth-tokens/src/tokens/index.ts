export { type AccessTokens, createAccessTokens, type IssuedToken, type IssueInput } from './access-tokens.js';
export { createJwtCodec } from './jwt-codec.js';
export { presentedToken } from './presented-token.js';
export { logsQueryTokens, maskQueryToken } from './query-token.js';
