export {
  type BoundedCall,
  type BoundedCallOptions,
  type Caller,
  createBoundedCall,
  DeadlineSetupError,
} from './bounded-call.js';
export { startDeadline, withinDeadline } from './deadline.js';
