export { clearReply, discardPayload, statusOf } from './replaced-reply.js';
export { createReplyEnds, isUpgrade } from './reply-ends.js';
