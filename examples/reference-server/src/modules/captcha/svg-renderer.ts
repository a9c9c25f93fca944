import svgCaptcha from 'svg-captcha';
import type { CaptchaRenderer } from './captchas.js';

/** The package's own types leave this form out: a drawing of a given text. */
const draw = svgCaptcha as unknown as (text: string, options: svgCaptcha.ConfigObject) => string;

/**
 * Letters as paths, bent and crossed by lines. It stops scripts, not who trains a reader for it: exchange it where that
 * matters.
 */
export const renderSvg: CaptchaRenderer = (text) => {
  const svg = draw(text, { width: 150, height: 50, noise: 3 });
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
};
