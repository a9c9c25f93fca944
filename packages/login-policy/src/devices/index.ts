export { createKnownDevices, type KnownDevices } from './known-devices.js';
