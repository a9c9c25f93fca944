export { type ClientIp, createClientIp, type RequestHeaders, UNKNOWN_PEER } from './client-ip.js';
export { counterKey } from './counter-key.js';
export { CLIENT_IP_DEFAULTS, type ClientIpOptions, type ClientIpPluginOptions, ClientIpSetupError } from './options.js';
export { clientIp, clientIp as default } from './plugin.js';
export { trustedProxyFaults } from './trusted-proxies.js';
