import { expect, it } from 'vitest';
import { agentOf } from '../src/places/sessions/user-agent.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`, 'Chrome 156', 'Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/156.0.0.0 Safari/537.36`, 'Chrome 156', 'Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.1`, 'Edge 156', 'Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36 OPR/120.0`, 'Opera 120', 'Windows'],
  [`Mozilla/5.0 (Linux; Android 16; K) ${WEBKIT} Chrome/156.0.0.0 Mobile Safari/537.36`, 'Chrome 156', 'Android'],
  ['Mozilla/5.0 (Windows NT 10.0; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox 150', 'Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.1 Safari/605.1.15', 'Safari 26', 'macOS'],
  [`${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, 'Safari 18', 'iOS'],
  [`${IPHONE} CriOS/156.0 Mobile/15E148 Safari/604.1`, 'Chrome 156', 'iOS'],
])('CON-8 %s is named in words', (userAgent, browser, system) => {
  expect(agentOf(userAgent)).toEqual({ browser, system });
});

it.each([
  'curl/8.5.0',
  'node',
  '',
  'Chrome/156 on Linux',
  'Mozilla/5.0 (compatible; Bot/2.1)',
  'Mozilla/5.0 (Linux) Chrome/x',
  `Mozilla/5.0 (${'x'.repeat(600)}) Linux Chrome/156`,
])('CON-8 %s stays as it is', (userAgent) => {
  expect(agentOf(userAgent)).toBe(null);
});
