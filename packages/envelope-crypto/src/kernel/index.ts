export { createProvenKernel, isRightFor, type ProvenKernel } from './proven-kernel.js';
