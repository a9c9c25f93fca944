export { autoConfig, default } from '../auto-config/auth.mjs';
