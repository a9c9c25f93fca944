export { IMAGE_ALPHABET } from './drawing/index.js';
export {
  createImageRenderer,
  IMAGE_RENDERER_DEFAULTS,
  type ImageRenderer,
  type ImageRendererOptions,
} from './renderer.js';
