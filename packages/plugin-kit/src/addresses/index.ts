export { type AddressRange, isInRanges, parseRange } from './address-range.js';
export { type IpAddress, isIpAddress, parseIp, parseIpWithPort } from './ip-address.js';
export { networkKey } from './network-key.js';
