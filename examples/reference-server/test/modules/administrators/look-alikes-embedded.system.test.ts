import { describe } from 'vitest';
import { describeLookAlikes } from './look-alikes.js';

describe('names that look alike, in the embedded database', () => describeLookAlikes('embedded'));
