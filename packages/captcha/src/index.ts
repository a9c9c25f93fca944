export type { CaptchaRenderer } from './renderer.js';
