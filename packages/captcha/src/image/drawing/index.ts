export { IMAGE_ALPHABET } from './letters.js';
export { ALL_DISTORTIONS, type Distortions, drawPicture } from './picture.js';
